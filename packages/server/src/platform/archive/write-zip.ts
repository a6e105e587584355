import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, createDeflateRaw, deflateRaw } from 'node:zlib';
import { checkEntryName, inBatches, type WriteOptions } from './writing.ts';
import { DEFLATED, FLAG, MAX_16, MAX_32, SIGNATURE, STORED, ZIP64_EXTRA } from './zip-format.ts';

export interface ZipInput {
  name: string;
  /** Bytes in memory, or a stream of them for what is too large for it. */
  content: Buffer | AsyncIterable<Buffer>;
  /** Says that a stream may be longer than 4 GB; its entry then needs a reader that knows zip64. */
  large?: boolean;
}

interface Written {
  name: Buffer;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  offset: number;
}

const deflate = promisify(deflateRaw);
const FILE_ATTRIBUTES = 0o100644 * 2 ** 16;

/**
 * A zip archive as a stream, entry by entry: memory stays at one entry. The same entries and time give the same bytes.
 * Zip64 records are written only when something does not fit without them.
 */
export function writeZip(entries: AsyncIterable<ZipInput> | Iterable<ZipInput>, options: WriteOptions): Readable {
  return Readable.from(inBatches(zipBytes(entries, options)), { objectMode: false, highWaterMark: 256 * 1024 });
}

async function* zipBytes(
  entries: AsyncIterable<ZipInput> | Iterable<ZipInput>,
  options: WriteOptions,
): AsyncGenerator<Buffer> {
  const time = dosTime(options.modified);
  const written: Written[] = [];
  let offset = 0;
  for await (const entry of entries) {
    checkEntryName(entry.name);
    for await (const bytes of entryBytes(entry, offset, time, written, options.level ?? 6)) {
      offset += bytes.length;
      yield bytes;
    }
  }
  const start = offset;
  for (const entry of written) {
    const record = centralRecord(entry, time);
    offset += record.length;
    yield record;
  }
  yield endRecords(written.length, start, offset - start);
}

async function* entryBytes(
  entry: ZipInput,
  offset: number,
  time: number,
  written: Written[],
  level: number,
): AsyncGenerator<Buffer> {
  const name = Buffer.from(entry.name);
  const utf8 = name.length === entry.name.length ? 0 : FLAG.utf8;
  if (Buffer.isBuffer(entry.content)) {
    const packed = entry.content.length === 0 ? entry.content : await deflate(entry.content, { level });
    const isWorthIt = packed.length < entry.content.length;
    const body = isWorthIt ? packed : entry.content;
    const record = {
      ...{ name, offset, flags: utf8, method: isWorthIt ? DEFLATED : STORED },
      ...{ crc: crc32(entry.content), packedSize: body.length, size: entry.content.length },
    };
    yield localHeader(record, time, false);
    yield body;
    written.push(record);
    return;
  }

  // The sizes are known only afterwards: they follow the bytes, in a data descriptor.
  const record: Written = {
    name,
    offset,
    flags: utf8 | FLAG.descriptor,
    method: DEFLATED,
    crc: 0,
    packedSize: 0,
    size: 0,
  };
  yield localHeader(record, time, entry.large === true);
  const source = entry.content;
  const counting = async function* () {
    for await (const chunk of source) {
      record.crc = crc32(chunk, record.crc);
      record.size += chunk.length;
      yield chunk;
    }
  };
  for await (const chunk of packedChunks(counting(), level)) {
    record.packedSize += chunk.length;
    yield chunk;
  }
  if (entry.large !== true && Math.max(record.size, record.packedSize) >= MAX_32) {
    throw new RangeError(`the entry ${entry.name} is longer than 4 GB and was not announced as large`);
  }
  yield descriptor(record, entry.large === true);
  written.push(record);
}

async function* packedChunks(content: AsyncGenerator<Buffer>, level: number): AsyncGenerator<Buffer> {
  const source = Readable.from(content, { objectMode: false });
  const packer = createDeflateRaw({ level, chunkSize: 256 * 1024 });
  source.on('error', (error) => packer.destroy(error));
  try {
    for await (const chunk of source.pipe(packer)) yield chunk as Buffer;
  } finally {
    source.destroy();
    packer.destroy();
  }
}

function localHeader(entry: Written, time: number, large: boolean): Buffer {
  const extra = large ? zip64Field([0, 0]) : Buffer.alloc(0);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(SIGNATURE.local, 0);
  header.writeUInt16LE(large ? 45 : 20, 4);
  header.writeUInt16LE(entry.flags, 6);
  header.writeUInt16LE(entry.method, 8);
  header.writeUInt32LE(time, 10);
  header.writeUInt32LE(entry.crc, 14);
  header.writeUInt32LE(large ? MAX_32 : entry.packedSize, 18);
  header.writeUInt32LE(large ? MAX_32 : entry.size, 22);
  header.writeUInt16LE(entry.name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, entry.name, extra]);
}

function descriptor(entry: Written, large: boolean): Buffer {
  const bytes = Buffer.alloc(large ? 24 : 16);
  bytes.writeUInt32LE(SIGNATURE.descriptor, 0);
  bytes.writeUInt32LE(entry.crc, 4);
  if (large) {
    bytes.writeBigUInt64LE(BigInt(entry.packedSize), 8);
    bytes.writeBigUInt64LE(BigInt(entry.size), 16);
  } else {
    bytes.writeUInt32LE(entry.packedSize, 8);
    bytes.writeUInt32LE(entry.size, 12);
  }
  return bytes;
}

function centralRecord(entry: Written, time: number): Buffer {
  const wide = [entry.size, entry.packedSize, entry.offset].filter((value) => value >= MAX_32);
  const extra = wide.length > 0 ? zip64Field(wide) : Buffer.alloc(0);
  const record = Buffer.alloc(46);
  record.writeUInt32LE(SIGNATURE.central, 0);
  // Made by a Unix system, so that the mode of the file counts.
  record.writeUInt16LE((3 << 8) | 45, 4);
  record.writeUInt16LE(wide.length > 0 ? 45 : 20, 6);
  record.writeUInt16LE(entry.flags, 8);
  record.writeUInt16LE(entry.method, 10);
  record.writeUInt32LE(time, 12);
  record.writeUInt32LE(entry.crc, 16);
  record.writeUInt32LE(Math.min(entry.packedSize, MAX_32), 20);
  record.writeUInt32LE(Math.min(entry.size, MAX_32), 24);
  record.writeUInt16LE(entry.name.length, 28);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE(FILE_ATTRIBUTES, 38);
  record.writeUInt32LE(Math.min(entry.offset, MAX_32), 42);
  return Buffer.concat([record, entry.name, extra]);
}

function endRecords(count: number, offset: number, size: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(SIGNATURE.end, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(size, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  if (count < MAX_16 && size < MAX_32 && offset < MAX_32) return end;
  const wide = Buffer.alloc(56);
  wide.writeUInt32LE(SIGNATURE.zip64End, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeUInt16LE((3 << 8) | 45, 12);
  wide.writeUInt16LE(45, 14);
  wide.writeBigUInt64LE(BigInt(count), 24);
  wide.writeBigUInt64LE(BigInt(count), 32);
  wide.writeBigUInt64LE(BigInt(size), 40);
  wide.writeBigUInt64LE(BigInt(offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(SIGNATURE.zip64Locator, 0);
  locator.writeBigUInt64LE(BigInt(offset + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([wide, locator, end]);
}

function zip64Field(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + values.length * 8);
  field.writeUInt16LE(ZIP64_EXTRA, 0);
  field.writeUInt16LE(values.length * 8, 2);
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + index * 8);
  return field;
}

/** Time and date of MS-DOS in one number: two-second steps from 1980 to 2107, taken as UTC. */
function dosTime(milliseconds: number): number {
  const date = new Date(Math.min(Math.max(milliseconds, Date.UTC(1980, 0)), Date.UTC(2107, 11, 31, 23, 59, 58)));
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return day * 2 ** 16 + time;
}
