/** The little of DER that writing a certificate needs. */

export function tlv(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), length(body.length), body]);
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...items: Uint8Array[]): Buffer => tlv(0x30, ...items);
export const set = (...items: Uint8Array[]): Buffer => tlv(0x31, ...items);
export const octets = (content: Uint8Array): Buffer => tlv(0x04, content);
export const bits = (content: Uint8Array, unused = 0): Buffer => tlv(0x03, Buffer.from([unused]), content);
export const utf8 = (text: string): Buffer => tlv(0x0c, Buffer.from(text));
export const printable = (text: string): Buffer => tlv(0x13, Buffer.from(text, 'ascii'));
export const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.from([value ? 0xff : 0]));
export const explicit = (number: number, content: Uint8Array): Buffer => tlv(0xa0 | number, content);
export const NULL: Buffer = Buffer.from([0x05, 0x00]);

/** A non-negative integer from its big-endian bytes. */
export function integer(bytes: Uint8Array | number): Buffer {
  let body = Buffer.from(typeof bytes === 'number' ? [bytes] : bytes);
  while (body.length > 1 && body[0] === 0 && (body[1] as number) < 0x80) body = body.subarray(1);
  if ((body[0] as number) >= 0x80) body = Buffer.concat([Buffer.from([0]), body]);
  return tlv(0x02, body);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes: number[] = [];
  for (const part of [first * 40 + second, ...rest]) {
    const group = [part % 128];
    for (let left = Math.floor(part / 128); left > 0; left = Math.floor(left / 128)) group.unshift((left % 128) | 0x80);
    bytes.push(...group);
  }
  return tlv(0x06, Buffer.from(bytes));
}

/** UTCTime until 2049, GeneralizedTime after, as RFC 5280 wants. */
export function time(moment: number): Buffer {
  const text = new Date(moment).toISOString().replace(/[-:T]|\.\d{3}/g, '');
  return Number(text.slice(0, 4)) < 2050 ? tlv(0x17, Buffer.from(text.slice(2))) : tlv(0x18, Buffer.from(text));
}
