import { type FileHandle, open } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import { IntegrityError } from './integrity.ts';

export interface ArchiveEntry {
  name: string;
  content: Buffer;
}

/** Larger files do not belong into a package of invoices; the metadata of ten thousand with a hundred parties each is the largest. */
export const LARGEST_FILE = 1_000_000_000;

const END = 0x06054b50;
const ZIP64_END = 0x06064b50;
const ZIP64_LOCATOR = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 65_535;
const WIDE = 0xffffffff;

/** The files of a zip archive on disk, in the order of its directory, one in memory at a time. */
export async function* readZip(path: string): AsyncGenerator<ArchiveEntry> {
  const file = await open(path);
  try {
    const directory = await findDirectory(file);
    const bytes = await readAt(file, directory.offset, directory.size);
    for (let at = 0; at < bytes.length; ) {
      if (bytes.length < at + 46 || bytes.readUInt32LE(at) !== CENTRAL) throw broken('its directory cannot be read');
      const record = centralRecord(bytes, at);
      at = record.next;
      if (!record.name.endsWith('/')) yield { name: record.name, content: await contentOf(file, record) };
    }
  } finally {
    await file.close();
  }
}

const broken = (why: string) => new IntegrityError(`The zip archive is broken: ${why}`);

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (length > LARGEST_FILE || position < 0) throw broken('a record points outside of it');
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, position + read);
    if (bytesRead === 0) throw broken('it ends too early');
    read += bytesRead;
  }
  return bytes;
}

async function findDirectory(file: FileHandle): Promise<{ offset: number; size: number }> {
  const { size } = await file.stat();
  const length = Math.min(size, END_BYTES + LONGEST_COMMENT);
  const tail = await readAt(file, size - length, length);
  for (let at = length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END || at + END_BYTES + tail.readUInt16LE(at + 20) !== length) continue;
    const found = { size: tail.readUInt32LE(at + 12), offset: tail.readUInt32LE(at + 16) };
    const isWide = found.size === WIDE || found.offset === WIDE || tail.readUInt16LE(at + 10) === 0xffff;
    if (!isWide || at < 20 || tail.readUInt32LE(at - 20) !== ZIP64_LOCATOR) return found;
    const wide = await readAt(file, Number(tail.readBigUInt64LE(at - 12)), 56);
    if (wide.readUInt32LE(0) !== ZIP64_END) throw broken('its zip64 directory is missing');
    return { size: Number(wide.readBigUInt64LE(40)), offset: Number(wide.readBigUInt64LE(48)) };
  }
  throw broken('it has no directory');
}

interface Central {
  name: string;
  flags: number;
  method: number;
  crc: number;
  packed: number;
  size: number;
  offset: number;
  next: number;
}

function centralRecord(bytes: Buffer, at: number): Central {
  const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
  const extraEnd = nameEnd + bytes.readUInt16LE(at + 30);
  const next = extraEnd + bytes.readUInt16LE(at + 32);
  if (next > bytes.length) throw broken('its directory ends too early');
  const record = {
    name: bytes.toString('utf8', at + 46, nameEnd),
    flags: bytes.readUInt16LE(at + 8),
    method: bytes.readUInt16LE(at + 10),
    crc: bytes.readUInt32LE(at + 16),
    packed: bytes.readUInt32LE(at + 20),
    size: bytes.readUInt32LE(at + 24),
    offset: bytes.readUInt32LE(at + 42),
    next,
  };
  widen(record, bytes.subarray(nameEnd, extraEnd));
  return record;
}

/** Zip64: values that did not fit stand in an extra field, in this order. */
function widen(record: Central, extra: Buffer): void {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let from = at + 4;
    for (const field of ['size', 'packed', 'offset'] as const) {
      if (record[field] !== WIDE || from + 8 > extra.length) continue;
      record[field] = Number(extra.readBigUInt64LE(from));
      from += 8;
    }
  }
}

async function contentOf(file: FileHandle, record: Central): Promise<Buffer> {
  const header = await readAt(file, record.offset, 30);
  if (header.readUInt32LE(0) !== LOCAL) throw broken(`${record.name} is not where the directory says`);
  if (record.flags & 1) throw broken(`${record.name} is encrypted`);
  const start = record.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = await readAt(file, start, record.packed);
  const content = unpack(record, packed);
  if (content.length !== record.size || crc32(content) !== record.crc) {
    throw broken(`${record.name} differs from its checksum`);
  }
  return content;
}

function unpack({ name, method, size }: Central, packed: Buffer): Buffer {
  if (method === 0) return packed;
  if (method !== 8 || size > LARGEST_FILE) throw broken(`${name} cannot be unpacked`);
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch {
    throw broken(`${name} cannot be unpacked`);
  }
}
