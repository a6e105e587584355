// Builds tar files field by field, so that tests can lie in any of them. Knows nothing of the code under test.
import { gzipSync } from 'node:zlib';

export interface TarFields {
  name: string | Buffer;
  content?: Buffer | string;
  type?: string;
  /** The size field as written, when it is not the size of the content. */
  size?: string | Buffer;
  magic?: string;
  prefix?: string;
  link?: string;
  badSum?: boolean;
}

export const END = Buffer.alloc(1_024);

export function tarEntry(fields: TarFields): Buffer {
  const content = Buffer.from(fields.content ?? '');
  const block = Buffer.alloc(512);
  Buffer.from(fields.name as string).copy(block, 0, 0, 100);
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  const size = fields.size ?? `${content.length.toString(8).padStart(11, '0')}\0`;
  Buffer.from(size as string).copy(block, 124, 0, 12);
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write(fields.type ?? '0', 156, 'latin1');
  block.write(fields.link ?? '', 157);
  block.write(fields.magic ?? 'ustar\x0000', 257, 'latin1');
  block.write(fields.prefix ?? '', 345);
  let sum = fields.badSum ? 1 : 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([block, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

export function pax(records: Record<string, string> | [string, string][], type = 'x'): Buffer {
  let text = '';
  for (const [key, value] of Array.isArray(records) ? records : Object.entries(records)) {
    const rest = ` ${key}=${value}\n`;
    let length = Buffer.byteLength(rest);
    while (Buffer.byteLength(`${length}${rest}`) !== length) length += 1;
    text += `${length}${rest}`;
  }
  return tarEntry({ name: 'pax', content: text, type });
}

export function tarGz(...parts: (Buffer | TarFields)[]): Buffer {
  return gzipSync(Buffer.concat([...parts.map((part) => (Buffer.isBuffer(part) ? part : tarEntry(part))), END]));
}
