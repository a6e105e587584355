// Zip files that must be refused, each with the reason.
import { deflateRawSync } from 'node:zlib';
import type { ArchiveLimits, ArchiveReason, ArchiveRules } from './archive.ts';
import { type BuiltEntry, buildZip, descriptor, type End, zip64End, zip64Extra } from './zip-builder.fixture.ts';

export interface With {
  limits?: Partial<ArchiveLimits>;
  rules?: Partial<ArchiveRules>;
}

export const one = (entry: Partial<BuiltEntry> = {}, end?: Partial<End>) =>
  buildZip([{ name: 'a.xml', content: 'content of a', ...entry }], end);

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

export const hostileZips: [name: string, reason: ArchiveReason, bytes: Buffer, options?: With][] = [
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
