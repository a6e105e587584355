import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collect, LIMITS } from './archive.fixture.ts';
import {
  type ArchiveEntry,
  type ArchiveLimits,
  type ArchiveReason,
  ArchiveRefused,
  type ArchiveRules,
} from './archive.ts';
import { openZip, readZip } from './read-zip.ts';
import { type BuiltEntry, buildZip, descriptor, type End, zip64End, zip64Extra } from './zip-builder.fixture.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kwit-zip-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface With {
  limits?: Partial<ArchiveLimits>;
  rules?: Partial<ArchiveRules>;
}
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
const one = (entry: Partial<BuiltEntry> = {}, end?: Partial<End>) =>
  buildZip([{ name: 'a.xml', content: 'content of a', ...entry }], end);

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

const bomb = Buffer.alloc(10_000_000);
const overlapping = (() => {
  // One packed block, described as thirty files.
  const packed = deflateRawSync(Buffer.alloc(100_000));
  const first = { name: 'n00', content: Buffer.alloc(100_000), packed };
  const copies = Array.from({ length: 29 }, (_, index) => ({
    ...{ name: `n${index + 10}`, content: Buffer.alloc(100_000), packed, onlyCentral: true },
    central: { offset: 0 },
  }));
  return buildZip([first, ...copies]);
})();
const quoted = (() => {
  // The better bomb: the local header of the next file is the content of the one before.
  const inner = buildZip([{ name: 'inner', content: 'x', both: { method: 0 } }]).subarray(0, 36);
  return buildZip([
    { name: 'outer', content: inner, both: { method: 0 } },
    { name: 'inner', content: 'x', both: { method: 0 }, onlyCentral: true, central: { offset: 35 } },
  ]);
})();

const hostile: [name: string, reason: ArchiveReason, bytes: Buffer, options?: With][] = [
  ['nothing', 'not-an-archive', Buffer.alloc(0)],
  ['noise', 'not-an-archive', Buffer.alloc(500, 'noise ')],
  ['a gzip file', 'not-an-archive', Buffer.concat([Buffer.from([0x1f, 0x8b, 8]), Buffer.alloc(100)])],
  ['no directory', 'not-an-archive', one().subarray(0, 60)],
  ['end cut by a byte', 'not-an-archive', one().subarray(0, -1)],
  ['comment cut', 'trailing-data', one({}, { comment: Buffer.from('comment') }).subarray(0, -1)],
  ['trailing garbage', 'trailing-data', Buffer.concat([one(), Buffer.from('garbage')])],
  ['leading garbage', 'lying-header', Buffer.concat([Buffer.from('garbage'), one()])],
  [
    'leading garbage with corrected offsets',
    'trailing-data',
    (() => {
      const junk = Buffer.from('MZ program');
      const shifted = buildZip([{ name: 'a', content: 'a', central: { offset: junk.length } }]);
      const all = Buffer.concat([junk, shifted]);
      all.writeUInt32LE(shifted.readUInt32LE(shifted.length - 6) + junk.length, all.length - 6);
      return all;
    })(),
  ],
  ['two ends', 'lying-header', one({}, { comment: buildZip([]) })],
  [
    'garbage between entries',
    'trailing-data',
    buildZip([{ name: 'a', content: 'a', after: Buffer.from('hidden') }, { name: 'b' }]),
  ],
  ['garbage after the last entry', 'trailing-data', one({ after: Buffer.from('hidden') })],
  ['too many entries declared', 'too-many-entries', one({}, { count: 60_000 })],
  ['too many files', 'too-many-entries', buildZip(Array.from({ length: 101 }, (_, index) => ({ name: `f${index}` })))],
  [
    'too many folders',
    'too-many-entries',
    buildZip(Array.from({ length: 1_101 }, (_, index) => ({ name: `f${index}/` }))),
  ],
  ['fewer entries declared', 'lying-header', buildZip([{ name: 'a' }, { name: 'b' }], { count: 1 })],
  ['more entries declared', 'truncated', one({}, { count: 2 })],
  ['different counts', 'lying-header', one({}, { countHere: 2 })],
  ['directory elsewhere', 'lying-header', one({}, { offset: 3 })],
  ['directory outside', 'lying-header', one({}, { offset: 4_000_000_000 })],
  ['several disks', 'unsupported', one({}, { disk: 1 })],
  ['entry on another disk', 'unsupported', one({ central: { disk: 1 } })],
  ['entry outside', 'overlap', one({ central: { offset: 1_000_000 } })],
  ['overlapping entries', 'overlap', overlapping],
  ['entry inside of another', 'overlap', quoted],
  ['empty name', 'bad-name', one({ name: '' })],
  ['absolute name', 'bad-name', one({ name: '/etc/passwd' })],
  ['absolute name with backslash', 'bad-name', one({ name: '\\server\\x' }), { rules: { backslash: 'slash' } }],
  ['climbing name', 'bad-name', one({ name: 'a/../../x' })],
  ['climbing name at the end', 'bad-name', one({ name: 'a/..' })],
  ['climbing name with backslash', 'bad-name', one({ name: '..\\x' })],
  ['backslash', 'bad-name', one({ name: 'a\\b' })],
  ['drive', 'bad-name', one({ name: 'c:x' })],
  ['NUL', 'bad-name', one({ name: 'a.xml\0.exe' })],
  ['control character', 'bad-name', one({ name: 'a\nb' })],
  ['name of 64 kB', 'bad-name', one({ name: 'x'.repeat(65_000) })],
  ['duplicate', 'duplicate-name', buildZip([{ name: 'a' }, { name: 'a' }])],
  ['case collision', 'duplicate-name', buildZip([{ name: 'Faktura Ż.xml' }, { name: 'faktura ż.XML' }])],
  ['composed and decomposed letters', 'duplicate-name', buildZip([{ name: 'ó' }, { name: 'ó'.normalize('NFD') }])],
  ['same path written twice', 'duplicate-name', buildZip([{ name: 'f/a' }, { name: './f//a' }])],
  ['encrypted', 'encrypted', one({ both: { flags: 1 } })],
  ['strongly encrypted', 'encrypted', one({ both: { flags: 0x41 } })],
  ['hidden headers', 'encrypted', one({ both: { flags: 0x2000 } })],
  ['patch data', 'unsupported', one({ both: { flags: 0x20 } })],
  ['method bzip2', 'unsupported', one({ both: { method: 12 }, packed: Buffer.from('x') })],
  ['method deflate64', 'unsupported', one({ both: { method: 9 }, packed: Buffer.from('x') })],
  ['symbolic link', 'not-a-file', one({ central: { madeBy: 0x0314, attributes: 0o120777 << 16 } })],
  ['device', 'not-a-file', one({ central: { madeBy: 0x0314, attributes: 0o020666 << 16 } })],
  ['folder with content', 'not-a-file', one({ name: 'folder/' })],
  ['stored with two sizes', 'lying-header', one({ both: { method: 0, size: 100 } })],
  ['local name differs', 'lying-header', one({ local: { name: Buffer.from('b.xml') } })],
  ['local method differs', 'lying-header', one({ local: { method: 0 } })],
  ['local flags differ', 'lying-header', one({ local: { flags: 1 } })],
  ['local size differs', 'lying-header', one({ local: { size: 1 } })],
  ['local size zero without descriptor', 'lying-header', one({ local: { size: 0, packedSize: 0 } })],
  ['local checksum differs', 'lying-header', one({ local: { crc: 1 } })],
  ['no local header', 'lying-header', one({ local: { signature: 0x12345678 } })],
  ['wrong directory signature', 'lying-header', one({ central: { signature: 0x12345678 } })],
  ['descriptor that lies', 'lying-header', one({ both: { flags: 8 }, after: descriptor(1, 2, 3) })],
  ['descriptor missing', 'lying-header', one({ both: { flags: 8 } })],
  ['checksum wrong', 'checksum', one({ both: { crc: 1 } })],
  ['checksum wrong, stored', 'checksum', one({ both: { crc: 1, method: 0 } })],
  ['packed bytes damaged', 'checksum', one({ packed: Buffer.from([7, 7, 7, 7, 7]) })],
  [
    'packed bytes cut',
    'checksum',
    one({ content: 'x'.repeat(50), packed: deflateRawSync(Buffer.from('x'.repeat(50))).subarray(0, 2) }),
  ],
  [
    'bytes after the packed stream',
    'lying-header',
    one({ packed: Buffer.concat([deflateRawSync(Buffer.from('content of a')), Buffer.from('more')]) }),
  ],
  ['declared smaller than real', 'lying-header', one({ both: { size: 5 } })],
  ['declared larger than real', 'lying-header', one({ both: { size: 50 } })],
  ['declared empty, real bomb', 'lying-header', one({ content: bomb, both: { size: 0 } })],
  [
    'long file, declared smaller than real',
    'lying-header',
    one({ content: bomb, both: { size: 5_000_000 } }),
    { limits: { ratio: 1e6 } },
  ],
  [
    'long file, bytes after the packed stream',
    'lying-header',
    one({ content: bomb, packed: Buffer.concat([deflateRawSync(bomb), Buffer.alloc(1_000_000)]) }),
  ],
  ['long file, checksum wrong', 'checksum', one({ content: bomb, both: { crc: 1 } }), { limits: { ratio: 1e6 } }],
  [
    'long file, cut',
    'checksum',
    one({ content: bomb, packed: deflateRawSync(bomb).subarray(0, -5) }),
    { limits: { ratio: 1e6 } },
  ],
  ['bomb by ratio', 'ratio', one({ content: bomb })],
  ['file too large', 'too-large', one({ content: bomb }), { limits: { fileBytes: 9_999_999 } }],
  [
    'all too large',
    'too-large',
    buildZip([
      { name: 'a', content: bomb },
      { name: 'b', content: bomb },
    ]),
    { limits: { ratio: 1e6, totalBytes: 19_999_999 } },
  ],
  ['zip64 announced, not there', 'lying-header', one({}, { offset: 0xffffffff })],
  ['zip64 field announced, not there', 'lying-header', one({ central: { size: 0xffffffff } })],
  ['zip64 size 0 for a full file', 'lying-header', one({ both: { size: 0xffffffff, extra: zip64Extra(0) } })],
  ['zip64 size huge', 'too-large', one({ both: { size: 0xffffffff, extra: zip64Extra(2 ** 50) } })],
  ['zip64 size beyond numbers', 'lying-header', one({ both: { size: 0xffffffff, extra: zip64Extra(2 ** 60) } })],
  ['zip64 field contradicts the header', 'lying-header', one({ central: { extra: zip64Extra(13, 14) } })],
  ['zip64 field twice', 'lying-header', one({ central: { extra: Buffer.concat([zip64Extra(12), zip64Extra(12)]) } })],
  [
    'zip64 end contradicts the plain one',
    'lying-header',
    one({}, { before: (offset, size) => zip64End({ count: 2, size, offset }, offset + size) }),
  ],
  [
    'zip64 end elsewhere',
    'lying-header',
    one({}, { before: (offset, size) => zip64End({ count: 1, size, offset }, 0, { position: 1 }) }),
  ],
  [
    'zip64 end outside',
    'truncated',
    one({}, { before: (offset, size) => zip64End({ count: 1, size, offset }, 0, { position: 2 ** 40 }) }),
  ],
];

describe('refuses', () => {
  test.each(hostile)('%s', async (_name, expected, bytes, options) => {
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
