import { ArchiveRefused } from './archive.ts';
import type { RandomAccess } from './random-access.ts';
import type { ZipRecord } from './zip-directory.ts';
import { FLAG, MAX_32, SIGNATURE, zip64Extra } from './zip-format.ts';

/**
 * Finds the bytes of an entry and holds its local header, and the descriptor after its bytes, against the central directory: what one
 * reader takes from the one and another reader from the other must be the same.
 * @param next where the next entry, or the central directory, begins
 * @returns position of the packed bytes
 */
export async function locate(file: RandomAccess, record: ZipRecord, next: number): Promise<number> {
  const lie = (what: string) =>
    new ArchiveRefused('lying-header', `The local header of an entry contradicts the directory: ${what}.`);
  if (record.offset + 30 > next) throw new ArchiveRefused('overlap', 'Two entries of the archive overlap.');
  const fixed = Buffer.from(await file.read(record.offset, 30));
  if (fixed.readUInt32LE(0) !== SIGNATURE.local) throw lie('it is not there');
  const nameLength = fixed.readUInt16LE(26);
  const extraLength = fixed.readUInt16LE(28);
  const start = record.offset + 30 + nameLength + extraLength;
  if (start + record.packedSize > next) throw new ArchiveRefused('overlap', 'Two entries of the archive overlap.');
  const rest = await file.read(record.offset + 30, nameLength + extraLength);

  if (fixed.readUInt16LE(6) !== record.flags) throw lie('flags');
  if (fixed.readUInt16LE(8) !== record.method) throw lie('method');
  if (!rest.subarray(0, nameLength).equals(record.name)) throw lie('name');
  const [size, packedSize] = zip64Extra(rest.subarray(nameLength), [fixed.readUInt32LE(22), fixed.readUInt32LE(18)]);
  const hasDescriptor = (record.flags & FLAG.descriptor) !== 0;
  const agrees = (local: number, central: number) => local === central || (hasDescriptor && local === 0);
  if (!agrees(fixed.readUInt32LE(14), record.crc)) throw lie('checksum');
  if (!agrees(size, record.size) || !agrees(packedSize, record.packedSize)) throw lie('size');

  const between = next - start - record.packedSize;
  if (between > 0 && !hasDescriptor)
    throw new ArchiveRefused('trailing-data', 'Bytes between the entries belong to none of them.');
  if (hasDescriptor) {
    if (between > 24) throw new ArchiveRefused('trailing-data', 'Bytes between the entries belong to none of them.');
    if (!isDescriptor(Buffer.from(await file.read(next - between, between)), record)) throw lie('data descriptor');
  }
  return start;
}

/** With or without a signature, sizes in 4 or 8 bytes: only the length tells which. */
function isDescriptor(bytes: Buffer, record: ZipRecord): boolean {
  const hasSignature = bytes.length === 16 || bytes.length === 24;
  if (hasSignature && bytes.readUInt32LE(0) !== SIGNATURE.descriptor) return false;
  const content = hasSignature ? bytes.subarray(4) : bytes;
  if (content.length === 12) {
    if (record.packedSize >= MAX_32 || record.size >= MAX_32) return false;
    return (
      content.readUInt32LE(0) === record.crc &&
      content.readUInt32LE(4) === record.packedSize &&
      content.readUInt32LE(8) === record.size
    );
  }
  if (content.length !== 20) return false;
  return (
    content.readUInt32LE(0) === record.crc &&
    content.readBigUInt64LE(4) === BigInt(record.packedSize) &&
    content.readBigUInt64LE(12) === BigInt(record.size)
  );
}
