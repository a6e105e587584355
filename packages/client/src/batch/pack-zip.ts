import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import type { BatchFile } from './batch-file.ts';

const deflate = promisify(deflateRaw);
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const UTF8_NAME = 0x0800;
/** 1980-01-01: the same files give the same archive. */
const DATE = 0x0021_0000;

interface Packed {
  name: Buffer;
  method: 0 | 8;
  crc: number;
  packedSize: number;
  size: number;
  offset: number;
}

/** A zip archive piece by piece; one file at a time is in memory. */
export async function* packZip(files: Iterable<BatchFile>, packed: (file: BatchFile) => void): AsyncGenerator<Buffer> {
  const entries: Packed[] = [];
  let offset = 0;
  for (const file of files) {
    const content = await file.read();
    const deflated = content.length === 0 ? Buffer.alloc(0) : await deflate(content);
    const isSmaller = deflated.length < content.length;
    const body = isSmaller ? deflated : Buffer.from(content);
    const entry: Packed = {
      name: Buffer.from(file.name),
      method: isSmaller ? 8 : 0,
      crc: crc32(content),
      packedSize: body.length,
      size: content.length,
      offset,
    };
    const header = localHeader(entry);
    entries.push(entry);
    offset += header.length + body.length;
    yield header;
    yield body;
    packed(file);
  }
  const directory = Buffer.concat(entries.map(directoryRecord));
  yield directory;
  yield endRecords(entries.length, offset, directory.length);
}

/** Fields that both headers of an entry share, from the version to the length of the name. */
function commonFields(entry: Packed): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(UTF8_NAME, 2);
  fields.writeUInt16LE(entry.method, 4);
  fields.writeUInt32LE(DATE, 6);
  fields.writeUInt32LE(entry.crc, 10);
  fields.writeUInt32LE(entry.packedSize, 14);
  fields.writeUInt32LE(entry.size, 18);
  fields.writeUInt16LE(entry.name.length, 22);
  return fields;
}

function localHeader(entry: Packed): Buffer {
  return Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), commonFields(entry), entry.name]);
}

function directoryRecord(entry: Packed): Buffer {
  const isFar = entry.offset >= MAX_32;
  // An offset beyond 4 GB stands in a field of eight bytes behind the name.
  const extra = Buffer.alloc(isFar ? 12 : 0);
  if (isFar) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(entry.offset), 4);
  }
  const fields = commonFields(entry);
  fields.writeUInt16LE(extra.length, 24);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(Math.min(entry.offset, MAX_32), 10);
  const start = Buffer.from('PK\x01\x02\x2d\x00', 'latin1');
  return Buffer.concat([start, fields, rest, entry.name, extra]);
}

function endRecords(count: number, offset: number, size: number): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(size, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  if (count < MAX_16 && offset < MAX_32 && size < MAX_32) return end;
  const wide = Buffer.alloc(76);
  wide.write('PK\x06\x06', 'latin1');
  wide.writeBigUInt64LE(44n, 4);
  wide.writeUInt16LE(45, 12);
  wide.writeUInt16LE(45, 14);
  wide.writeBigUInt64LE(BigInt(count), 24);
  wide.writeBigUInt64LE(BigInt(count), 32);
  wide.writeBigUInt64LE(BigInt(size), 40);
  wide.writeBigUInt64LE(BigInt(offset), 48);
  wide.write('PK\x06\x07', 56, 'latin1');
  wide.writeBigUInt64LE(BigInt(offset + size), 64);
  wide.writeUInt32LE(1, 72);
  return Buffer.concat([wide, end]);
}
