import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
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
import { readTarGz } from './read-targz.ts';
import { END, pax, tarEntry, tarGz } from './tar-builder.fixture.ts';

interface With {
  limits?: Partial<ArchiveLimits>;
  rules?: Partial<ArchiveRules>;
  chunk?: number;
}
async function* inChunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function read(bytes: Buffer, { limits, rules, chunk }: With = {}): Promise<ArchiveEntry[]> {
  return collect(
    readTarGz(inChunks(bytes, chunk ?? 10_000), {
      limits: { ...LIMITS, ...limits },
      rules: { duplicates: 'refuse', backslash: 'refuse', ...rules },
    }),
  );
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
const long = `${'folder/'.repeat(30)}name.xml`;
const gnuLong = (name: string) =>
  tarEntry({ name: '././@LongLink', content: `${name}\0`, type: 'L', magic: 'ustar  \0' });

describe('reads', () => {
  // Chunks of one byte put every boundary everywhere; 1,000,000 gives all at once.
  test.each([1, 7, 1_000_000])('files of ustar, pax and GNU in order, in chunks of %d bytes', async (chunk) => {
    const bytes = tarGz(
      { name: './', type: '5' },
      { name: './a.xml', content: 'first' },
      { name: 'b.xml', prefix: 'deep/folder', content: 'x'.repeat(512) },
      pax({ path: 'żółw.xml', mtime: '1.5', size: '4' }),
      { name: 'other', content: 'turt' },
      gnuLong(long),
      { name: long.slice(0, 100), content: 'long', magic: 'ustar  \0' },
      pax({ comment: 'a commit' }, 'g'),
      { name: 'old', content: 'old', type: '\0' },
      { name: 'empty' },
      { name: 'binary-size', content: 'abc', size: Buffer.from([0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]) },
    );
    const entries = await read(bytes, { chunk });
    expect(texts(entries)).toEqual([
      ['./a.xml', 'first'],
      ['deep/folder/b.xml', 'x'.repeat(512)],
      ['żółw.xml', 'turt'],
      [long, 'long'],
      ['old', 'old'],
      ['empty', ''],
      ['binary-size', 'abc'],
    ]);
    expect(entries[0]?.sha256.equals(createHash('sha256').update('first').digest())).toBe(true);
    expect(entries[0]?.size).toBe(5);
  });

  test('an archive without entries, and gzip headers with every optional field', async () => {
    expect(await read(tarGz())).toEqual([]);
    const plain = tarGz({ name: 'a', content: 'x' });
    const header = Buffer.from([0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 0, 0, 0, 0, 0, 3]);
    const fields = Buffer.concat([Buffer.from([3, 0, 1, 2, 3]), Buffer.from('name\0comment\0'), Buffer.from([9, 9])]);
    for (const chunk of [1, 10_000]) {
      expect(texts(await read(Buffer.concat([header, fields, plain.subarray(10)]), { chunk }))).toEqual([['a', 'x']]);
    }
  });

  test('files longer than kept are checked and handed on without content', async () => {
    const content = Buffer.alloc(3_000_000, 'abcdefg');
    const entries = await read(tarGz({ name: 'long', content }, { name: 'next', content: 'x' }), {
      limits: { ratio: 1e6 },
    });
    expect(entries[0]).toMatchObject({ name: 'long', size: 3_000_000, content: undefined });
    expect(entries[0]?.sha256.equals(createHash('sha256').update(content).digest())).toBe(true);
    expect(entries[1]?.content?.toString()).toBe('x');
  });

  test('by rules of the caller: backslashes as slashes, names twice', async () => {
    const bytes = tarGz({ name: 'f\\a', content: '1' }, { name: 'f/a', content: '2' });
    expect(texts(await read(bytes, { rules: { duplicates: 'allow', backslash: 'slash' } }))).toEqual([
      ['f/a', '1'],
      ['f/a', '2'],
    ]);
  });

  test('no more of the source than it needs before a file is handed out, and lets it go when the reader stops', async () => {
    const bytes = tarGz(
      ...Array.from({ length: 50 }, (_, index) => ({
        name: `f${index}`,
        content: createHash('sha512').update(`${index}`).digest('hex').repeat(50),
      })),
    );
    let taken = 0;
    let released = false;
    const source = (async function* () {
      try {
        for await (const chunk of inChunks(bytes, 100)) {
          taken += chunk.length;
          yield chunk;
        }
      } finally {
        released = true;
      }
    })();
    for await (const _entry of readTarGz(source, { limits: LIMITS })) break;
    expect(taken).toBeLessThan(bytes.length);
    expect(released).toBe(true);
  });
});

const zeros = Buffer.alloc(10_000_000);
const good = tarGz({ name: 'a', content: 'good' });
const hostile: [name: string, reason: ArchiveReason, bytes: Buffer, options?: With][] = [
  ['nothing', 'not-an-archive', Buffer.alloc(0)],
  ['a zip file', 'not-an-archive', Buffer.from('PK\u0003\u0004 and so on')],
  ['gzip of something else', 'not-an-archive', gzipSync('just a text'.repeat(100))],
  ['a tar without magic', 'not-an-archive', tarGz({ name: 'a', magic: '\0\0\0\0\0\0\0\0' })],
  ['gzip method unknown', 'unsupported', Buffer.concat([Buffer.from([0x1f, 0x8b, 7]), good.subarray(3)])],
  [
    'endless gzip header',
    'unsupported',
    Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.alloc(200_000, 'n')]),
  ],
  ['gzip cut in the header', 'truncated', good.subarray(0, 6)],
  ['gzip cut in the middle', 'truncated', good.subarray(0, 30)],
  ['gzip cut before the checksum', 'truncated', good.subarray(0, -8)],
  ['gzip cut in the checksum', 'truncated', good.subarray(0, -1)],
  [
    'gzip checksum wrong',
    'checksum',
    Buffer.concat([good.subarray(0, -8), Buffer.from([1, 2, 3, 4]), good.subarray(-4)]),
  ],
  ['gzip length wrong', 'checksum', Buffer.concat([good.subarray(0, -4), Buffer.from([1, 2, 3, 4])])],
  ['gzip damaged', 'checksum', Buffer.concat([good.subarray(0, 10), Buffer.alloc(30, 0xff), good.subarray(40)])],
  ['garbage after gzip', 'trailing-data', Buffer.concat([good, Buffer.from('garbage')])],
  ['zeros after gzip', 'trailing-data', Buffer.concat([good, Buffer.alloc(100)])],
  ['a second gzip member', 'trailing-data', Buffer.concat([good, good])],
  ['a tar spread over two gzip members', 'trailing-data', Buffer.concat([gzipSync(END), gzipSync(END)])],
  ['no end of tar', 'truncated', gzipSync(tarEntry({ name: 'a', content: 'x' }))],
  ['half an end of tar', 'truncated', gzipSync(Buffer.concat([tarEntry({ name: 'a' }), Buffer.alloc(512)]))],
  ['tar cut in a file', 'truncated', gzipSync(tarEntry({ name: 'a', content: 'x'.repeat(5_000) }).subarray(0, 2_000))],
  ['tar cut in a header', 'truncated', gzipSync(tarEntry({ name: 'a' }).subarray(0, 300))],
  [
    'something after the end of tar',
    'trailing-data',
    gzipSync(Buffer.concat([END, tarEntry({ name: 'hidden', content: 'x' })])),
  ],
  ['header checksum wrong', 'checksum', tarGz({ name: 'a', badSum: true })],
  ['hard link', 'not-a-file', tarGz({ name: 'a', type: '1', link: 'b' })],
  ['symbolic link', 'not-a-file', tarGz({ name: 'a', type: '2', link: '/etc/passwd' })],
  ['character device', 'not-a-file', tarGz({ name: 'a', type: '3' })],
  ['block device', 'not-a-file', tarGz({ name: 'a', type: '4' })],
  ['pipe', 'not-a-file', tarGz({ name: 'a', type: '6' })],
  ['GNU sparse file', 'not-a-file', tarGz({ name: 'a', type: 'S' })],
  ['pax sparse file', 'not-a-file', tarGz(pax({ 'GNU.sparse.major': '1' }), { name: 'a' })],
  ['GNU long link', 'not-a-file', tarGz({ name: '././@LongLink', type: 'K', content: 'x\0' }, { name: 'a' })],
  ['pax link', 'not-a-file', tarGz(pax({ linkpath: 'x' }), { name: 'a' })],
  ['unknown kind', 'not-a-file', tarGz({ name: 'a', type: 'Z' })],
  ['folder with content', 'not-a-file', tarGz({ name: 'a/', type: '5', content: 'x' })],
  ['folder by name with content', 'not-a-file', tarGz({ name: 'a/', content: 'x' })],
  ['climbing name', 'bad-name', tarGz({ name: '../a' })],
  ['climbing name split in two', 'bad-name', tarGz({ name: '../a', prefix: 'x' })],
  ['climbing name in pax', 'bad-name', tarGz(pax({ path: 'a/../../b' }), { name: 'a' })],
  ['climbing name in a GNU long name', 'bad-name', tarGz(gnuLong('../b'), { name: 'a', magic: 'ustar  \0' })],
  ['absolute name', 'bad-name', tarGz({ name: '/a' })],
  ['empty name', 'bad-name', tarGz({ name: '' })],
  ['NUL in a pax name', 'bad-name', tarGz(pax({ path: 'a\0b' }), { name: 'a' })],
  ['backslash', 'bad-name', tarGz({ name: 'a\\b' })],
  ['long name of 64 kB', 'bad-name', tarGz(gnuLong('x'.repeat(65_000)), { name: 'a', magic: 'ustar  \0' })],
  ['pax name of 60 kB', 'bad-name', tarGz(pax({ path: 'x'.repeat(60_000) }), { name: 'a' })],
  ['pax header of 100 kB', 'unsupported', tarGz(pax({ comment: 'x'.repeat(100_000) }), { name: 'a' })],
  [
    'long name that lies about being short',
    'bad-name',
    tarGz({ name: 'L', type: 'L', size: '77777777777\0', magic: 'ustar  \0' }, { name: 'a' }),
  ],
  ['two names for one file', 'lying-header', tarGz(pax({ path: 'b' }), gnuLong('c'), { name: 'a' })],
  [
    'pax key twice',
    'lying-header',
    tarGz(
      pax([
        ['path', 'b'],
        ['path', 'c'],
      ]),
      { name: 'a' },
    ),
  ],
  ['pax that cannot be read', 'lying-header', tarGz({ name: 'x', type: 'x', content: '999 path=b\n' }, { name: 'a' })],
  ['pax size that differs', 'lying-header', tarGz(pax({ size: '512' }), { name: 'a', content: 'x' })],
  ['pax about nothing', 'lying-header', tarGz(pax({ path: 'b' }))],
  ['pax in an unknown character set', 'unsupported', tarGz(pax({ hdrcharset: 'EBCDIC' }), { name: 'a' })],
  ['global pax path', 'unsupported', tarGz(pax({ path: 'b' }, 'g'), { name: 'a' })],
  ['size not a number', 'lying-header', tarGz({ name: 'a', size: 'twelve bytes' })],
  ['size negative', 'lying-header', tarGz({ name: 'a', size: Buffer.alloc(12, 0xff) })],
  ['size of 2^63', 'lying-header', tarGz({ name: 'a', size: Buffer.from([0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0]) })],
  ['duplicate', 'duplicate-name', tarGz({ name: 'a' }, { name: './a' })],
  ['case collision', 'duplicate-name', tarGz({ name: 'a.xml' }, { name: 'A.XML' })],
  ['too many files', 'too-many-entries', tarGz(...Array.from({ length: 101 }, (_, index) => ({ name: `f${index}` })))],
  [
    'too many folders',
    'too-many-entries',
    tarGz(...Array.from({ length: 1_101 }, (_, index) => ({ name: `f${index}/`, type: '5' }))),
  ],
  [
    'too many global headers',
    'too-many-entries',
    tarGz(...Array.from({ length: 1_101 }, () => pax({ comment: 'x' }, 'g'))),
    { limits: { ratio: 1e6 } },
  ],
  ['bomb by ratio', 'ratio', tarGz({ name: 'a', content: zeros })],
  ['bomb after the end', 'ratio', gzipSync(Buffer.concat([END, zeros]))],
  ['file too large', 'too-large', tarGz({ name: 'a', size: '77777777777\0' })],
  [
    'all too large',
    'too-large',
    tarGz({ name: 'a', content: zeros }, { name: 'b', content: zeros }),
    { limits: { ratio: 1e6, totalBytes: 15_000_000 } },
  ],
];

describe('refuses', () => {
  test.each(hostile)('%s', async (_name, expected, bytes, options) => {
    expect(await reason(bytes, options)).toBe(expected);
  });

  test.each([1, 2, 3, 7, 50])('what follows gzip, wherever chunks of %d bytes fall', async (chunk) => {
    expect(await reason(good, { chunk })).toBe('read');
    expect(await reason(Buffer.concat([good, good]), { chunk })).toBe('trailing-data');
    expect(await reason(Buffer.concat([good, Buffer.from([0])]), { chunk })).toBe('trailing-data');
    expect(await reason(good.subarray(0, -1), { chunk })).toBe('truncated');
    expect(await reason(good.subarray(0, -8), { chunk })).toBe('truncated');
  });

  test('a bomb long before it is unpacked', async () => {
    // 300 MB of zeros: the ratio stops it after a few chunks of output.
    const bomb = gzipSync(Buffer.concat([tarEntry({ name: 'a', content: Buffer.alloc(300_000_000) }), END]), {
      level: 1,
    });
    const before = process.memoryUsage().arrayBuffers;
    expect(await reason(bomb, { limits: { fileBytes: 1e9, totalBytes: 1e9, ratio: 50 } })).toBe('ratio');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
  });

  test('or reads the same, whatever byte is changed or wherever it is cut', async () => {
    const original = texts(
      await read(tarGz({ name: 'first.xml', content: 'first '.repeat(30) }, { name: 'b', content: 'b' })),
    );
    const bytes = tarGz({ name: 'first.xml', content: 'first '.repeat(30) }, { name: 'b', content: 'b' });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (at, change, isCut) => {
          const changed = Buffer.from(isCut ? bytes.subarray(0, at) : bytes);
          if (!isCut) changed[at] = (changed[at] as number) ^ change;
          try {
            expect(texts(await read(changed))).toEqual(original);
          } catch (error) {
            if (!(error instanceof ArchiveRefused)) throw error;
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('an error of the source as it is', async () => {
    const source = (async function* () {
      yield good.subarray(0, 20);
      throw new Error('blob store gone');
    })();
    await expect(collect(readTarGz(source, { limits: LIMITS }))).rejects.toThrow('blob store gone');
  });
});

const hasTar = spawnSync('tar', ['--version']).stdout?.toString().includes('GNU');
const hasPython = spawnSync('python3', ['-c', 'import tarfile']).status === 0;

describe('reads what other programs write', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kwit-tar-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const name = `d/${'long-'.repeat(30)}żółw.xml`;

  test.skipIf(!hasTar).each(['gnu', 'pax'])('GNU tar, format %s (GNU tar missing: skipped)', async (format) => {
    const make = `mkdir -p d && printf one > d/a.xml && printf two > "${name}" && tar --format=${format} -czf x.tgz ./d`;
    expect(spawnSync('sh', ['-c', make], { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' } }).status).toBe(0);
    expect(texts(await read(readFileSync(join(folder, 'x.tgz')))).sort()).toEqual([
      ['./d/a.xml', 'one'],
      [`./${name}`, 'two'],
    ]);
  });

  test.skipIf(!hasPython)('Python (python3 missing: skipped)', async () => {
    const script = `
import tarfile, io
for kind, format in (('gnu', tarfile.GNU_FORMAT), ('pax', tarfile.PAX_FORMAT)):
    with tarfile.open(kind + '.tgz', 'w:gz', format=format) as t:
        info = tarfile.TarInfo(${JSON.stringify(name)}); info.size = 3
        t.addfile(info, io.BytesIO(b'two'))
`;
    expect(spawnSync('python3', ['-c', script], { cwd: folder }).status).toBe(0);
    for (const kind of ['gnu', 'pax']) {
      expect(texts(await read(readFileSync(join(folder, `${kind}.tgz`))))).toEqual([[name, 'two']]);
    }
  });
});
