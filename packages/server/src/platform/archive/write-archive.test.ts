// Both writers: judged by our strict readers, by the libraries of others and by the programs everyone has.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { extract } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromBuffer } from 'yauzl';
import { collect, LIMITS } from './archive.fixture.ts';
import { readTarGz } from './read-targz.ts';
import { readZip } from './read-zip.ts';
import { type TarInput, writeTarGz } from './write-targz.ts';
import { writeZip, type ZipInput } from './write-zip.ts';

const modified = Date.UTC(2026, 1, 3, 4, 5, 6);
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kwit-write-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function save(name: string, bytes: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}
async function* pieces(...parts: string[]) {
  for (const part of parts) yield Buffer.from(part);
}

const files: [name: string, text: string][] = [
  ['a.xml', 'first '.repeat(1_000)],
  ['faktury/żółw ☃.xml', 'second'],
  ['empty', ''],
  [`${'deep/'.repeat(25)}file.xml`, 'ustar prefix'],
  [`${'x'.repeat(200)}.xml`, 'pax path'],
];
const inMemory = () => files.map(([name, text]) => ({ name, content: Buffer.from(text) }));
const programs = (name: string, args: string[]) => spawnSync(name, args, { encoding: 'utf8' });
const has = {
  unzip: programs('unzip', ['-v']).status === 0,
  python: programs('python3', ['-c', 'import zipfile, tarfile']).status === 0,
  tar: programs('tar', ['--version']).status === 0,
};
const PYTHON_ZIP = `import zipfile,sys,json
z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
print(json.dumps([[i.filename, z.read(i).decode(), list(i.date_time), i.external_attr>>16] for i in z.infolist()]))`;
const PYTHON_TAR = `import tarfile,sys,json
t=tarfile.open(sys.argv[1])
print(json.dumps([[m.name, t.extractfile(m).read().decode(), m.mtime, m.mode] for m in t]))`;

describe('zip', () => {
  const streamed = (): ZipInput[] => [
    { name: 'streamed.xml', content: pieces('one ', 'two ', 'three') },
    { name: 'large.xml', content: pieces('announced as large'), large: true },
    { name: 'nothing', content: pieces() },
    ...inMemory(),
  ];
  const expected: [string, string][] = [
    ['streamed.xml', 'one two three'],
    ['large.xml', 'announced as large'],
    ['nothing', ''],
    ...files,
  ];

  test('is read by our strict reader', async () => {
    const path = save('own.zip', await buffer(writeZip(streamed(), { modified })));
    const found = await collect(readZip(path, { limits: LIMITS }));
    expect(found.map(({ name, content }) => [name, content?.toString()])).toEqual(expected);
  });

  test('is read by yauzl', async () => {
    const bytes = await buffer(writeZip(streamed(), { modified }));
    const names = await new Promise<string[]>((resolve, reject) => {
      fromBuffer(bytes, { lazyEntries: false }, (error, zip) => {
        if (error) return reject(error);
        const seen: string[] = [];
        zip.on('entry', (entry) => seen.push(entry.fileName));
        zip.on('end', () => resolve(seen));
        zip.on('error', reject);
      });
    });
    expect(names).toEqual(expected.map(([name]) => name));
  });

  test.skipIf(!has.unzip)('passes unzip -t (unzip missing: skipped)', async () => {
    const result = programs('unzip', ['-t', save('judge.zip', await buffer(writeZip(streamed(), { modified })))]);
    expect(result.stdout).toContain('No errors detected');
    expect(result.status).toBe(0);
  });

  test.skipIf(!has.python)('is read by Python with time and mode (python3 missing: skipped)', async () => {
    const path = save('python.zip', await buffer(writeZip(streamed(), { modified })));
    const result = programs('python3', ['-c', PYTHON_ZIP, path]);
    expect(JSON.parse(result.stdout)).toEqual(
      expected.map(([name, text]) => [name, text, [2026, 2, 3, 4, 5, 6], 0o100644]),
    );
  });

  test('with more entries than 16 bits count needs zip64, and is read', async () => {
    const count = 65_540;
    const entries = Array.from({ length: count }, (_, index) => ({ name: `${index}`, content: Buffer.alloc(0) }));
    const path = save('many.zip', await buffer(writeZip(entries, { modified })));
    const limits = { ...LIMITS, files: 70_000 };
    let found = 0;
    for await (const _entry of readZip(path, { limits })) found += 1;
    expect(found).toBe(count);
    if (has.python) {
      const result = programs('python3', [
        '-c',
        'import zipfile,sys; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))',
        path,
      ]);
      expect(result.stdout.trim()).toBe(String(count));
    }
  });

  test('stores what does not get smaller', async () => {
    const noise = Buffer.from(Array.from({ length: 64 }, (_, index) => (index * 151 + 7) % 256));
    const bytes = await buffer(writeZip([{ name: 'n', content: noise }], { modified }));
    expect(bytes.readUInt16LE(8)).toBe(0);
    expect(bytes.indexOf(noise)).toBe(31);
  });

  test('times before 1980 become 1980', async () => {
    const bytes = await buffer(writeZip([{ name: 'n', content: Buffer.from('x') }], { modified: 0 }));
    expect(bytes.readUInt16LE(12)).toBe((1 << 5) | 1);
  });
});

describe('tar.gz', () => {
  const entries = (): TarInput[] => [
    { name: 'streamed.xml', content: { size: 13, stream: pieces('one ', 'two ', 'three') } },
    { name: 'block', content: Buffer.alloc(512, 'b') },
    ...inMemory(),
  ];
  const expected: [string, string][] = [['streamed.xml', 'one two three'], ['block', 'b'.repeat(512)], ...files];

  test('is read by our strict reader', async () => {
    const found = await collect(readTarGz(writeTarGz(entries(), { modified }), { limits: LIMITS }));
    expect(found.map(({ name, content }) => [name, content?.toString()])).toEqual(expected);
  });

  test('is read by tar-stream', async () => {
    const bytes = await buffer(writeTarGz(entries(), { modified }));
    const found: [string, string][] = [];
    for await (const entry of Readable.from([gunzipSync(bytes)]).pipe(extract())) {
      found.push([entry.header.name, (await buffer(entry)).toString()]);
    }
    expect(found).toEqual(expected);
  });

  test.skipIf(!has.tar)('is listed by tar (tar missing: skipped)', async () => {
    const path = save('judge.tgz', await buffer(writeTarGz(entries(), { modified })));
    const result = programs('tar', ['--quoting-style=literal', '-tzf', path]);
    expect(result.stderr).toBe('');
    expect(result.stdout.trimEnd().split('\n')).toEqual(expected.map(([name]) => name));
  });

  test.skipIf(!has.python)('is read by Python with time and mode (python3 missing: skipped)', async () => {
    const path = save('python.tgz', await buffer(writeTarGz(entries(), { modified })));
    const result = programs('python3', ['-c', PYTHON_TAR, path]);
    expect(JSON.parse(result.stdout)).toEqual(expected.map(([name, text]) => [name, text, modified / 1_000, 0o644]));
  });

  test.each([12, 14])('refuses a stream that has another size than announced (%d instead of 13)', async (size) => {
    const wrong: TarInput[] = [{ name: 'a', content: { size, stream: pieces('one ', 'two ', 'three') } }];
    await expect(buffer(writeTarGz(wrong, { modified }))).rejects.toThrow(`announced with ${size} bytes`);
  });
});

describe.each([
  ['zip', (entries: ZipInput[] | AsyncIterable<ZipInput>, level = 6) => writeZip(entries, { modified, level })],
  [
    'tar.gz',
    (entries: ZipInput[] | AsyncIterable<ZipInput>, level = 6) =>
      writeTarGz(entries as TarInput[], { modified, level }),
  ],
] as const)('%s', (_kind, write) => {
  test('is the same for the same entries and time', async () => {
    expect((await buffer(write(inMemory()))).equals(await buffer(write(inMemory())))).toBe(true);
  });

  test.each([
    '',
    '/a',
    '../a',
    'a/../b',
    'a\\b',
    'a\0',
    'folder/',
    'c:x',
    'x'.repeat(1_025),
  ])('refuses to write the name %j', async (name) => {
    await expect(buffer(write([{ name, content: Buffer.from('x') }]))).rejects.toThrow(/name/);
  });

  test('an error of the entries ends the stream with it', async () => {
    const broken = (async function* () {
      yield { name: 'a', content: Buffer.from('x') };
      throw new Error('no more invoices');
    })();
    await expect(buffer(write(broken))).rejects.toThrow('no more invoices');
  });

  test('entries are taken only as fast as the archive is read, and let go when it is not', async () => {
    let taken = 0;
    let released: () => void = () => {};
    const isReleased = new Promise<void>((resolve) => {
      released = resolve;
    });
    const entries = (async function* () {
      try {
        for (; taken < 1_000; taken += 1) yield { name: `n${taken}`, content: Buffer.alloc(100_000, `${taken}`) };
      } finally {
        released();
      }
    })();
    const archive = write(entries, 0);
    for await (const _chunk of archive) break;
    await isReleased;
    expect(taken).toBeLessThan(50);
  });

  test('any names and contents come back', async () => {
    const name = fc
      .string({ minLength: 1, maxLength: 150, unit: fc.constantFrom(...'abcXYZ019 .-_żółćŁ☃𝒳') })
      .filter((text) => text !== '..');
    const entry = fc.record({ name, content: fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)) });
    const unique = fc.uniqueArray(entry, { selector: (one) => one.name.normalize('NFC').toLowerCase(), maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(unique, async (entries) => {
        const bytes = await buffer(write(entries));
        const rules = { duplicates: 'allow', backslash: 'refuse' } as const;
        const found = await collect(
          _kind === 'zip'
            ? readZip(save('any.zip', bytes), { limits: LIMITS, rules })
            : readTarGz(Readable.from([bytes]), { limits: LIMITS, rules }),
        );
        expect(found.map((one) => [one.name, one.content?.toString('hex')])).toEqual(
          entries.map((one) => [one.name, one.content.toString('hex')]),
        );
      }),
      { numRuns: 60 },
    );
  });
});
