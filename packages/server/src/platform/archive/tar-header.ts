import { ArchiveRefused } from './archive.ts';

export interface TarHeader {
  /** Bytes of the name, with the prefix of ustar. */
  name: Buffer;
  size: number;
  type: string;
}

export const BLOCK = 512;

export function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

export function parseHeader(block: Buffer): TarHeader {
  const magic = block.toString('latin1', 257, 265);
  const isPosix = magic === 'ustar\x0000';
  // Before POSIX there was no magic; such files are not distinguishable from noise and nobody writes them today.
  if (!isPosix && magic !== 'ustar  \0')
    throw new ArchiveRefused('not-an-archive', 'The content of the gzip file is no tar archive.');
  if (!hasValidSum(block)) throw new ArchiveRefused('checksum', 'The checksum of a tar header does not match.');
  const prefix = isPosix ? text(block, 345, 155) : Buffer.alloc(0);
  const name = text(block, 0, 100);
  return {
    name: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name,
    size: size(block.subarray(124, 136)),
    type: String.fromCharCode(block[156] as number),
  };
}

/** Records of a pax header: `length key=value\n`. A repeated key would leave the choice to the reader and is refused. */
export function parsePax(bytes: Buffer): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const digits = space === -1 ? '' : bytes.toString('latin1', at, space);
    const end = at + Number(digits);
    const equals = bytes.indexOf(0x3d, space + 1);
    if (
      !/^[1-9]\d{0,6}$/.test(digits) ||
      end > bytes.length ||
      bytes[end - 1] !== 0x0a ||
      equals === -1 ||
      equals >= end
    ) {
      throw new ArchiveRefused('lying-header', 'A pax header cannot be read.');
    }
    const key = bytes.toString('utf8', space + 1, equals);
    if (records.has(key)) throw new ArchiveRefused('lying-header', `A pax header names '${key.slice(0, 40)}' twice.`);
    records.set(key, Buffer.from(bytes.subarray(equals + 1, end - 1)));
    at = end;
  }
  return records;
}

function text(block: Buffer, start: number, length: number): Buffer {
  const field = block.subarray(start, start + length);
  const zero = field.indexOf(0);
  return Buffer.from(zero === -1 ? field : field.subarray(0, zero));
}

function size(field: Buffer): number {
  // GNU: the first bit set, then a binary number.
  if (((field[0] as number) & 0x80) !== 0) {
    if (field[0] !== 0x80 || !isZero(field.subarray(1, 4))) throw sizeProblem();
    const wide = field.readBigUInt64BE(4);
    if (wide > BigInt(Number.MAX_SAFE_INTEGER)) throw sizeProblem();
    return Number(wide);
  }
  const octal = /^ *([0-7]+)[ \0]*$/.exec(field.toString('latin1'))?.[1];
  if (octal === undefined) throw sizeProblem();
  return Number.parseInt(octal, 8);
}

/** The sum counts its own field as spaces; some old programs summed signed bytes. */
function hasValidSum(block: Buffer): boolean {
  let unsigned = 0;
  let signed = 0;
  for (let index = 0; index < BLOCK; index += 1) {
    const byte = index >= 148 && index < 156 ? 0x20 : (block[index] as number);
    unsigned += byte;
    signed += byte < 128 ? byte : byte - 256;
  }
  const stated = /^ *([0-7]+)[ \0]*$/.exec(block.toString('latin1', 148, 156))?.[1];
  const sum = stated === undefined ? -1 : Number.parseInt(stated, 8);
  return sum === unsigned || sum === signed;
}

const sizeProblem = () => new ArchiveRefused('lying-header', 'The size in a tar header cannot be read.');
