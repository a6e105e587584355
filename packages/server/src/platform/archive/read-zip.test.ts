import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collect, LIMITS } from './archive.fixture.ts';
import { type ArchiveEntry, type ArchiveReason, ArchiveRefused, type ArchiveRules } from './archive.ts';
import { hostileZips, one, type With } from './hostile-zips.fixture.ts';
import { openZip, readZip } from './read-zip.ts';
import { buildZip, descriptor, zip64End, zip64Extra } from './zip-builder.fixture.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kwit-zip-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function read(bytes: Buffer, options: With = {}): Promise<ArchiveEntry[]> {
  const path = join(folder, 'archive.zip');
  writeFileSync(path, bytes);
  const rules: ArchiveRules = { duplicates: 'refuse', backslash: 'refuse', ...options.rules };
  return collect(readZip(path, { limits: { ...LIMITS, ...options.limits }, rules }));
}
async function reason(bytes: Buffer, options?: With): Promise<ArchiveReason | 'read'> {
  try {
    await read(bytes, options);
    return 'read';
  } catch (error) {
    if (error instanceof ArchiveRefused) return error.reason;
    throw error;
  }
}
const texts = (entries: ArchiveEntry[]) => entries.map(({ name, content }) => [name, content?.toString()]);

describe('reads', () => {
  test('stored and deflated files in directory order, with size and SHA-256; folders are left out', async () => {
    const entries = await read(
      buildZip([
        { name: 'folder/' },
        { name: 'folder/b.xml', content: 'second '.repeat(50) },
        { name: 'a.xml', content: 'stored', both: { method: 0 } },
        { name: 'empty.xml' },
      ]),
    );
    expect(texts(entries)).toEqual([
      ['folder/b.xml', 'second '.repeat(50)],
      ['a.xml', 'stored'],
      ['empty.xml', ''],
    ]);
    expect(entries[1]?.size).toBe(6);
    expect(entries[1]?.sha256.toString('hex')).toBe(createHash('sha256').update('stored').digest('hex'));
  });

  test('an archive without entries, and one with a comment', async () => {
    expect(await read(buildZip([]))).toEqual([]);
    expect(texts(await read(one({}, { comment: Buffer.from('made by hand') })))).toEqual([['a.xml', 'content of a']]);
  });

  test('the number of files before any content, and the content as often as asked', async () => {
    const path = join(folder, 'twice.zip');
    writeFileSync(path, buildZip([{ name: 'f/' }, { name: 'a', content: '1' }, { name: 'b', content: '2' }]));
    const archive = await openZip(path, { limits: LIMITS });
    expect(archive.files).toBe(2);
    expect(await collect(archive.entries())).toHaveLength(2);
    expect(await collect(archive.entries())).toHaveLength(2);
    await archive.close();
  });

  const packed = deflateRawSync(Buffer.from('content of a'));
  const crc = crc32('content of a');
  test.each([true, false])('data descriptors (with signature: %s)', async (signature) => {
    const bytes = buildZip([
      {
        ...{ name: 'a.xml', content: 'content of a', both: { flags: 8 }, local: { crc: 0, packedSize: 0, size: 0 } },
        after: descriptor(crc, packed.length, 12, signature),
      },
      { name: 'b.xml', content: 'b' },
    ]);
    expect(texts(await read(bytes))).toEqual([
      ['a.xml', 'content of a'],
      ['b.xml', 'b'],
    ]);
  });

  test('honest zip64 records', async () => {
    const bytes = buildZip(
      [
        {
          ...{ name: 'a.xml', content: 'content of a' },
          local: { size: 0xffffffff, packedSize: 0xffffffff, extra: zip64Extra(12, packed.length) },
          central: {
            size: 0xffffffff,
            packedSize: 0xffffffff,
            offset: 0xffffffff,
            extra: zip64Extra(12, packed.length, 0),
          },
        },
      ],
      {
        ...{ count: 0xffff, size: 0xffffffff, offset: 0xffffffff },
        before: (offset, size) => zip64End({ count: 1, size, offset }, offset + size),
      },
    );
    expect(texts(await read(bytes))).toEqual([['a.xml', 'content of a']]);
  });

  test('names: UTF-8 declared or not, code page 437 otherwise', async () => {
    const named = (name: Buffer, flags: number) => one({ name, both: { flags } });
    expect(texts(await read(named(Buffer.from('żółw.xml'), 0x800)))[0]?.[0]).toBe('żółw.xml');
    expect(texts(await read(named(Buffer.from('żółw.xml'), 0)))[0]?.[0]).toBe('żółw.xml');
    expect(texts(await read(named(Buffer.from([0x81, 0x62]), 0)))[0]?.[0]).toBe('üb');
    expect(await reason(named(Buffer.from([0x81, 0x62]), 0x800))).toBe('bad-name');
  });

  test('files longer than kept are checked and handed on without content', async () => {
    const long = Buffer.alloc(3_000_000, 'abcdefg');
    for (const method of [0, 8]) {
      const [entry] = await read(buildZip([{ name: 'long', content: long, both: { method } }]), {
        limits: { ratio: 10_000 },
      });
      expect(entry).toMatchObject({ name: 'long', size: 3_000_000, content: undefined });
      expect(entry?.sha256.equals(createHash('sha256').update(long).digest())).toBe(true);
    }
  });

  test('a kept file whose packed form is much longer than itself', async () => {
    // Thousands of empty stored blocks before the content.
    const filler = Buffer.alloc(5 * 100_000);
    for (let at = 0; at < filler.length; at += 5) filler.set([0, 0, 0, 0xff, 0xff], at);
    const content = Buffer.from('small');
    const bytes = buildZip([
      { name: 'a', content, packed: Buffer.concat([filler, deflateRawSync(content)]), both: { method: 8 } },
    ]);
    expect(texts(await read(bytes))).toEqual([['a', 'small']]);
  });

  test('by rules of the caller: backslashes as slashes, names twice', async () => {
    const rules: ArchiveRules = { duplicates: 'allow', backslash: 'slash' };
    const bytes = buildZip([
      { name: 'f\\a.xml', content: '1' },
      { name: 'F/a.xml', content: '2' },
    ]);
    expect(texts(await read(bytes, { rules }))).toEqual([
      ['f/a.xml', '1'],
      ['F/a.xml', '2'],
    ]);
    expect(await reason(one({ name: 'f\\..\\a.xml' }), { rules })).toBe('bad-name');
  });
});

describe('refuses', () => {
  test.each(hostileZips)('%s', async (_name, expected, bytes, options) => {
    expect(await reason(bytes, options)).toBe(expected);
  });

  test('with a sentence that names the entry', async () => {
    await expect(read(one({ name: 'a/../b' }))).rejects.toThrow(
      'The name of an entry holds a \'..\' segment: "a/../b".',
    );
  });

  test('or reads the same, whatever byte of an archive is changed or wherever it is cut', async () => {
    const bytes = buildZip([
      { name: 'first.xml', content: 'first content '.repeat(20) },
      { name: 'folder/' },
      { name: 'second.xml', content: 'second', both: { method: 0 } },
    ]);
    const original = texts(await read(bytes));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (at, change, isCut) => {
          const changed = isCut ? bytes.subarray(0, at) : Buffer.from(bytes);
          if (!isCut) changed[at] = (changed[at] as number) ^ change;
          let entries: ArchiveEntry[] = [];
          try {
            entries = await read(Buffer.from(changed));
          } catch (error) {
            expect(error).toBeInstanceOf(ArchiveRefused);
            return;
          }
          // Times and attributes may change unnoticed, a byte of an attribute may make a file a folder; content may not.
          for (const [name, content] of texts(entries)) expect(original).toContainEqual([name, content]);
        },
      ),
      { numRuns: 400 },
    );
  });
});

const hasZip = spawnSync('zip', ['-v']).status === 0;
const hasPython = spawnSync('python3', ['-c', 'import zipfile']).status === 0;

describe('reads what other programs write', () => {
  test.skipIf(!hasZip)('Info-ZIP, with folders, into a file and into a pipe (zip missing: skipped)', async () => {
    const make =
      'mkdir -p d && printf one > d/a.xml && printf two > "d/ż b.xml" && zip -qr file.zip d && zip -qr - d | cat > piped.zip';
    expect(spawnSync('sh', ['-c', make], { cwd: folder }).status).toBe(0);
    for (const name of ['file.zip', 'piped.zip']) {
      const entries = await collect(readZip(join(folder, name), { limits: LIMITS }));
      expect(texts(entries).sort()).toEqual([
        ['d/a.xml', 'one'],
        ['d/ż b.xml', 'two'],
      ]);
    }
  });

  test.skipIf(!hasPython)('Python, plain, streamed and with forced zip64 (python3 missing: skipped)', async () => {
    const script = `
import zipfile, sys
class Pipe:
    def __init__(self, f): self.f = f
    def write(self, b): return self.f.write(b)
    def flush(self): self.f.flush()
with open('streamed.zip', 'wb') as f, zipfile.ZipFile(Pipe(f), 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('a.xml', 'one' * 100)
    with z.open('b.xml', 'w', force_zip64=True) as e: e.write(b'two' * 100)
with zipfile.ZipFile('plain.zip', 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('a.xml', 'one' * 100)
    with z.open('b.xml', 'w', force_zip64=True) as e: e.write(b'two' * 100)
`;
    expect(spawnSync('python3', ['-c', script], { cwd: folder }).status).toBe(0);
    for (const name of ['plain.zip', 'streamed.zip']) {
      const entries = await collect(readZip(join(folder, name), { limits: LIMITS }));
      expect(texts(entries)).toEqual([
        ['a.xml', 'one'.repeat(100)],
        ['b.xml', 'two'.repeat(100)],
      ]);
    }
  });
});
