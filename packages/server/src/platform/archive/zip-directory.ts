import { type ArchiveLimits, ArchiveRefused } from './archive.ts';
import type { RandomAccess } from './random-access.ts';
import { asSize, MAX_16, MAX_32, SIGNATURE, zip64Extra } from './zip-format.ts';

/** An entry as the central directory describes it; names are still bytes, to be compared with the local header. */
export interface ZipRecord {
  name: Buffer;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  offset: number;
  /** File type of Unix, 0 when the archive says nothing of it. */
  unixType: number;
  isDosFolder: boolean;
}

export interface ZipDirectory {
  records: ZipRecord[];
  /** Where the central directory begins: the end of the last entry. */
  offset: number;
}

interface End {
  count: number;
  size: number;
  offset: number;
  /** Where the end records begin. */
  position: number;
}

const END_BYTES = 22;
const LOCATOR_BYTES = 20;

export async function readDirectory(file: RandomAccess, limits: ArchiveLimits): Promise<ZipDirectory> {
  const end = await readEnd(file);
  const most = 2 * limits.files + 1_000;
  if (end.count > most) {
    throw new ArchiveRefused(
      'too-many-entries',
      `The archive declares ${end.count} entries, at most ${limits.files} files are allowed.`,
    );
  }
  if (end.offset + end.size !== end.position) {
    throw new ArchiveRefused('lying-header', 'The central directory does not lie where the end of the archive says.');
  }
  const records: ZipRecord[] = [];
  let position = end.offset;
  for (let index = 0; index < end.count; index += 1) {
    if (position + 46 > end.position) throw new ArchiveRefused('truncated', 'The central directory ends too early.');
    const fixed = Buffer.from(await file.read(position, 46));
    if (fixed.readUInt32LE(0) !== SIGNATURE.central) {
      throw new ArchiveRefused('lying-header', 'The central directory holds something that is no entry.');
    }
    const nameLength = fixed.readUInt16LE(28);
    const extraLength = fixed.readUInt16LE(30);
    const length = 46 + nameLength + extraLength + fixed.readUInt16LE(32);
    if (position + length > end.position)
      throw new ArchiveRefused('truncated', 'The central directory ends too early.');
    if (nameLength > limits.nameBytes) {
      throw new ArchiveRefused(
        'bad-name',
        `The name of an entry is ${nameLength} bytes long, at most ${limits.nameBytes} are allowed.`,
      );
    }
    const rest = await file.read(position + 46, nameLength + extraLength);
    records.push(parseRecord(fixed, Buffer.from(rest.subarray(0, nameLength)), rest.subarray(nameLength)));
    position += length;
  }
  if (position !== end.position) {
    throw new ArchiveRefused('lying-header', 'The central directory is longer than the entries it declares.');
  }
  return { records, offset: end.offset };
}

function parseRecord(fixed: Buffer, name: Buffer, extra: Buffer): ZipRecord {
  const raw = { size: fixed.readUInt32LE(24), packedSize: fixed.readUInt32LE(20), offset: fixed.readUInt32LE(42) };
  const disk = fixed.readUInt16LE(34);
  const wide = zip64Extra(extra, [raw.size, raw.packedSize, raw.offset], disk);
  if (disk !== 0 && disk !== MAX_16)
    throw new ArchiveRefused('unsupported', 'The archive is spread over several disks.');
  const attributes = fixed.readUInt32LE(38);
  return {
    name,
    flags: fixed.readUInt16LE(8),
    method: fixed.readUInt16LE(10),
    crc: fixed.readUInt32LE(16),
    size: wide[0],
    packedSize: wide[1],
    offset: wide[2],
    unixType: (attributes >>> 16) & 0xf000,
    isDosFolder: (attributes & 0x10) !== 0,
  };
}

async function readEnd(file: RandomAccess): Promise<End> {
  if (file.size < END_BYTES) throw new ArchiveRefused('not-an-archive', 'The file is too short for a zip archive.');
  const tailLength = Math.min(file.size, END_BYTES + MAX_16);
  const tail = Buffer.from(await file.read(file.size - tailLength, tailLength));
  const at = findEnd(tail);
  const record = tail.subarray(at);
  const position = file.size - tailLength + at;
  if (record.readUInt16LE(4) !== 0 || record.readUInt16LE(6) !== 0) {
    throw new ArchiveRefused('unsupported', 'The archive is spread over several disks.');
  }
  const count = record.readUInt16LE(10);
  if (record.readUInt16LE(8) !== count)
    throw new ArchiveRefused('lying-header', 'The end of the archive contradicts itself.');
  const end: End = { count, size: record.readUInt32LE(12), offset: record.readUInt32LE(16), position };

  const hasLocator =
    position >= LOCATOR_BYTES &&
    (await file.read(position - LOCATOR_BYTES, 4)).readUInt32LE(0) === SIGNATURE.zip64Locator;
  if (hasLocator) return readZip64End(file, end);
  if (count === MAX_16 || end.size === MAX_32 || end.offset === MAX_32) {
    throw new ArchiveRefused('lying-header', 'The archive announces zip64 records that are not there.');
  }
  return end;
}

/** The end record closes the file: nothing may follow it, and only one may fit. */
function findEnd(tail: Buffer): number {
  const found: number[] = [];
  let isThere = false;
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (tail[at] !== 0x50 || tail.readUInt32LE(at) !== SIGNATURE.end) continue;
    isThere = true;
    if (at + END_BYTES + tail.readUInt16LE(at + 20) === tail.length) found.push(at);
  }
  if (found.length > 1) throw new ArchiveRefused('lying-header', 'The archive has more than one end.');
  if (found.length === 1) return found[0] as number;
  if (isThere)
    throw new ArchiveRefused('trailing-data', 'Something follows the end of the archive, or its end is cut.');
  throw new ArchiveRefused('not-an-archive', 'The file is no zip archive: the end of its directory is missing.');
}

async function readZip64End(file: RandomAccess, end: End): Promise<End> {
  const locator = Buffer.from(await file.read(end.position - LOCATOR_BYTES, LOCATOR_BYTES));
  const position = asSize(locator.readBigUInt64LE(8));
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) {
    throw new ArchiveRefused('unsupported', 'The archive is spread over several disks.');
  }
  const record = Buffer.from(await file.read(position, 56));
  const length = asSize(record.readBigUInt64LE(4));
  if (
    record.readUInt32LE(0) !== SIGNATURE.zip64End ||
    position + 12 + length !== end.position - LOCATOR_BYTES ||
    length < 44
  ) {
    throw new ArchiveRefused('lying-header', 'The zip64 end of the archive does not lie where its locator says.');
  }
  if (record.readUInt32LE(16) !== 0 || record.readUInt32LE(20) !== 0) {
    throw new ArchiveRefused('unsupported', 'The archive is spread over several disks.');
  }
  const wide = {
    count: asSize(record.readBigUInt64LE(32)),
    size: asSize(record.readBigUInt64LE(40)),
    offset: asSize(record.readBigUInt64LE(48)),
  };
  const agrees = (narrow: number, value: number, max: number) => narrow === max || narrow === value;
  if (
    asSize(record.readBigUInt64LE(24)) !== wide.count ||
    !agrees(end.count, wide.count, MAX_16) ||
    !agrees(end.size, wide.size, MAX_32) ||
    !agrees(end.offset, wide.offset, MAX_32)
  ) {
    throw new ArchiveRefused('lying-header', 'The zip64 end of the archive contradicts the plain one.');
  }
  return { ...wide, position };
}
