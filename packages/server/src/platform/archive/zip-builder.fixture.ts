// Builds zip files field by field, so that tests can lie in any of them. Knows nothing of the code under test.
import { crc32, deflateRawSync } from 'node:zlib';

export interface Fields {
  signature: number;
  madeBy: number;
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  name: Buffer;
  extra: Buffer;
  disk: number;
  attributes: number;
  offset: number;
}

export interface BuiltEntry {
  name: string | Buffer;
  content?: Buffer | string;
  /** Fields of both headers. */
  both?: Partial<Fields>;
  local?: Partial<Fields>;
  central?: Partial<Fields>;
  /** Bytes in place of the packed content. */
  packed?: Buffer;
  /** Bytes between this entry and the next. */
  after?: Buffer;
  /** No bytes of its own: only a record in the directory. */
  onlyCentral?: boolean;
}

export interface End {
  disk: number;
  countHere: number;
  count: number;
  size: number;
  offset: number;
  commentLength: number;
  comment: Buffer;
  /** Bytes before the end record, after the directory. */
  before: (directoryOffset: number, directorySize: number) => Buffer;
}

export function buildZip(entries: readonly BuiltEntry[], end: Partial<End> = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const content = Buffer.from(entry.content ?? '');
    const method = entry.both?.method ?? (content.length > 0 ? 8 : 0);
    const packed = entry.packed ?? (method === 8 ? deflateRawSync(content) : content);
    const name = Buffer.from(entry.name as string);
    const flags = name.some((byte) => byte > 127) ? 0x800 : 0;
    const base: Fields = {
      ...{
        signature: 0,
        madeBy: 20,
        flags,
        method,
        crc: crc32(content),
        packedSize: packed.length,
        size: content.length,
      },
      ...{ name, extra: Buffer.alloc(0), disk: 0, attributes: 0, offset },
      ...entry.both,
    };
    if (!entry.onlyCentral) {
      const bytes = Buffer.concat([local({ ...base, ...entry.local }), packed, entry.after ?? Buffer.alloc(0)]);
      parts.push(bytes);
      offset += bytes.length;
    }
    directory.push(central({ ...base, ...entry.central }));
  }
  const size = directory.reduce((sum, record) => sum + record.length, 0);
  return Buffer.concat([
    ...parts,
    ...directory,
    end.before?.(offset, size) ?? Buffer.alloc(0),
    endRecord(entries.length, size, offset, end),
  ]);
}

function local(fields: Fields): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(fields.signature || 0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(fields.flags, 6);
  header.writeUInt16LE(fields.method, 8);
  header.writeUInt32LE(fields.crc, 14);
  header.writeUInt32LE(fields.packedSize, 18);
  header.writeUInt32LE(fields.size, 22);
  header.writeUInt16LE(fields.name.length, 26);
  header.writeUInt16LE(fields.extra.length, 28);
  return Buffer.concat([header, fields.name, fields.extra]);
}

function central(fields: Fields): Buffer {
  const record = Buffer.alloc(46);
  record.writeUInt32LE(fields.signature || 0x02014b50, 0);
  record.writeUInt16LE(fields.madeBy, 4);
  record.writeUInt16LE(20, 6);
  record.writeUInt16LE(fields.flags, 8);
  record.writeUInt16LE(fields.method, 10);
  record.writeUInt32LE(fields.crc, 16);
  record.writeUInt32LE(fields.packedSize, 20);
  record.writeUInt32LE(fields.size, 24);
  record.writeUInt16LE(fields.name.length, 28);
  record.writeUInt16LE(fields.extra.length, 30);
  record.writeUInt16LE(fields.disk, 34);
  record.writeUInt32LE(fields.attributes >>> 0, 38);
  record.writeUInt32LE(fields.offset, 42);
  return Buffer.concat([record, fields.name, fields.extra]);
}

function endRecord(count: number, size: number, offset: number, end: Partial<End>): Buffer {
  const comment = end.comment ?? Buffer.alloc(0);
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(end.disk ?? 0, 4);
  record.writeUInt16LE(end.countHere ?? end.count ?? count, 8);
  record.writeUInt16LE(end.count ?? count, 10);
  record.writeUInt32LE(end.size ?? size, 12);
  record.writeUInt32LE(end.offset ?? offset, 16);
  record.writeUInt16LE(end.commentLength ?? comment.length, 20);
  return Buffer.concat([record, comment]);
}

/** Zip64 end record and its locator. */
export function zip64End(
  values: { count: number; size: number; offset: number },
  position: number,
  lie: { position?: number } = {},
): Buffer {
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(BigInt(values.count), 24);
  record.writeBigUInt64LE(BigInt(values.count), 32);
  record.writeBigUInt64LE(BigInt(values.size), 40);
  record.writeBigUInt64LE(BigInt(values.offset), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(lie.position ?? position), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([record, locator]);
}

export function zip64Extra(...values: number[]): Buffer {
  const extra = Buffer.alloc(4 + values.length * 8);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(values.length * 8, 2);
  for (const [index, value] of values.entries()) extra.writeBigUInt64LE(BigInt(value), 4 + index * 8);
  return extra;
}

export function descriptor(crc: number, packedSize: number, size: number, signature = true): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  bytes.writeUInt32LE(packedSize, 8);
  bytes.writeUInt32LE(size, 12);
  return signature ? bytes : bytes.subarray(4);
}
