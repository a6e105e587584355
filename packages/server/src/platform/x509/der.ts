/**
 * A strict reader of DER: one way to write a value, so what is verified is what is read. Refuses indefinite and overlong lengths,
 * multi-byte tags and trailing bytes. Children are read only when asked for, so depth cannot exhaust the stack.
 */
export class DerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DerError';
  }
}

export interface DerNode {
  tag: number;
  /** The whole value with its tag and length. */
  bytes: Buffer;
  content: Buffer;
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

function readAt(buffer: Buffer, start: number): DerNode {
  const tag = buffer[start];
  const first = buffer[start + 1];
  if (tag === undefined || first === undefined) throw new DerError('the data ends inside a tag or length');
  if ((tag & 0x1f) === 0x1f) throw new DerError('tags of more than one byte are not used here');
  let length = first;
  let at = start + 2;
  if (first >= 0x80) {
    const count = first & 0x7f;
    if (count === 0) throw new DerError('lengths must be definite');
    if (count > 4) throw new DerError('a length is too large');
    if (at + count > buffer.length) throw new DerError('the data ends inside a tag or length');
    length = buffer.readUIntBE(at, count);
    if (length < 0x80 || buffer[at] === 0) throw new DerError('a length is not in its shortest form');
    at += count;
  }
  if (at + length > buffer.length) throw new DerError('a value is longer than the data');
  return { tag, bytes: buffer.subarray(start, at + length), content: buffer.subarray(at, at + length) };
}

/** The one value that `buffer` consists of. */
export function readDer(buffer: Buffer): DerNode {
  const node = readAt(buffer, 0);
  if (node.bytes.length !== buffer.length) throw new DerError('there are bytes after the end of the value');
  return node;
}

/** The values inside a constructed one. */
export function children(node: DerNode): DerNode[] {
  if ((node.tag & 0x20) === 0) throw new DerError('a value that should hold others does not');
  const found: DerNode[] = [];
  for (let at = 0; at < node.content.length; ) {
    const child = readAt(node.content, at);
    found.push(child);
    at += child.bytes.length;
  }
  return found;
}

export function expectTag(node: DerNode | undefined, tag: number, what: string): DerNode {
  if (node === undefined) throw new DerError(`${what} is missing`);
  if (node.tag !== tag) throw new DerError(`${what} has the tag ${node.tag}, expected ${tag}`);
  return node;
}

/** Children of a SEQUENCE. */
export function sequenceOf(node: DerNode | undefined, what: string): DerNode[] {
  return children(expectTag(node, TAG.sequence, what));
}

export function readOid(node: DerNode | undefined, what: string): string {
  const { content } = expectTag(node, TAG.oid, what);
  if (content.length === 0 || content.length > 64) throw new DerError(`${what} is not an object identifier`);
  const arcs: bigint[] = [];
  let value = 0n;
  let open = false;
  for (const byte of content) {
    if (!open && byte === 0x80) throw new DerError(`${what} is not in its shortest form`);
    value = (value << 7n) | BigInt(byte & 0x7f);
    open = byte >= 0x80;
    if (!open) {
      arcs.push(value);
      value = 0n;
    }
  }
  if (open) throw new DerError(`${what} ends inside a number`);
  const joint = arcs[0] as bigint;
  const root = joint < 40n ? 0n : joint < 80n ? 1n : 2n;
  return [root, joint - root * 40n, ...arcs.slice(1)].join('.');
}

/** A signed INTEGER of at most 64 bytes. */
export function readInteger(node: DerNode | undefined, what: string): bigint {
  const { content } = expectTag(node, TAG.integer, what);
  if (content.length === 0 || content.length > 64) throw new DerError(`${what} is not a number of a sensible size`);
  const [first = 0, second = 0] = content;
  if (content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80)))
    throw new DerError(`${what} is not in its shortest form`);
  return BigInt.asIntN(content.length * 8, BigInt(`0x${content.toString('hex')}`));
}

export function readBoolean(node: DerNode, what: string): boolean {
  const { content } = expectTag(node, TAG.boolean, what);
  if (content.length !== 1) throw new DerError(`${what} is not a truth value`);
  return content[0] !== 0;
}

/** Bytes of a BIT STRING whose bits fill them, as keys and signatures do. */
export function readWholeBits(node: DerNode | undefined, what: string): Buffer {
  const { content } = expectTag(node, TAG.bitString, what);
  if (content[0] !== 0) throw new DerError(`${what} does not consist of whole bytes`);
  return content.subarray(1);
}

/** Numbers of the bits that are set. */
export function readNamedBits(node: DerNode, what: string): Set<number> {
  const { content } = expectTag(node, TAG.bitString, what);
  const unused = content[0];
  if (unused === undefined || unused > 7 || (content.length === 1 && unused > 0) || content.length > 9)
    throw new DerError(`${what} is not a list of bits`);
  const set = new Set<number>();
  const count = (content.length - 1) * 8 - unused;
  for (let bit = 0; bit < count; bit += 1)
    if (((content[1 + (bit >> 3)] as number) >> (7 - (bit & 7))) & 1) set.add(bit);
  return set;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Text of any of the string types that names use; a BIT STRING (x500UniqueIdentifier) becomes hex digits. */
export function readText(node: DerNode, what: string): string {
  const { tag, content } = node;
  switch (tag) {
    case TAG.utf8String:
      try {
        return utf8.decode(content);
      } catch {
        throw new DerError(`${what} is not valid UTF-8`);
      }
    case TAG.printableString:
    case TAG.ia5String:
    case TAG.numericString:
    case TAG.teletexString:
      return content.toString('latin1');
    case TAG.bmpString: {
      if (content.length % 2 !== 0) throw new DerError(`${what} is not valid UTF-16`);
      return Buffer.from(content).swap16().toString('utf16le');
    }
    case TAG.universalString: {
      let text = '';
      for (let at = 0; at + 4 <= content.length; at += 4) {
        const point = content.readUInt32BE(at);
        if (point > 0x10ffff) throw new DerError(`${what} is not valid UTF-32`);
        text += String.fromCodePoint(point);
      }
      return text;
    }
    case TAG.bitString:
      return readWholeBits(node, what).toString('hex').toUpperCase();
    default:
      throw new DerError(`${what} has the tag ${tag}, which is no text`);
  }
}

/** Milliseconds of a UTCTime or GeneralizedTime in the forms RFC 5280 allows. */
export function readTime(node: DerNode | undefined, what: string): number {
  if (node?.tag !== TAG.utcTime && node?.tag !== TAG.generalizedTime) throw new DerError(`${what} is not a time`);
  const digits = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(node.content.toString('latin1'));
  if (!digits || (digits[1]?.length === 2) !== (node.tag === TAG.utcTime)) throw new DerError(`${what} is not a time`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = digits.slice(1).map(Number);
  const full = node.tag === TAG.utcTime ? year + (year < 50 ? 2000 : 1900) : year;
  const moment = new Date(0);
  moment.setUTCFullYear(full, month - 1, day);
  moment.setUTCHours(hour, minute, second, 0);
  if (moment.getUTCMonth() !== month - 1 || moment.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59)
    throw new DerError(`${what} is not a moment of the calendar`);
  return moment.getTime();
}
