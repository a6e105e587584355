/** Checks 4 to 6: UTF-8 without a byte order mark, and a prolog that says nothing else. */
import { isUtf8 } from 'node:buffer';
import { shown } from '../verdict.ts';
import { placeAt } from './place.ts';

export function byteOrderMarkProblem(bytes: Buffer): string | undefined {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return marked ? 'The file starts with a byte order mark (EF BB BF); send UTF-8 without it.' : undefined;
}

export function utf8Problem(bytes: Buffer): string | undefined {
  if (isUtf8(bytes)) return undefined;
  const offset = firstInvalid(bytes);
  const found = bytes[offset]?.toString(16).toUpperCase().padStart(2, '0');
  return `The file is not UTF-8: unexpected byte 0x${found} at ${placeAt(bytes, offset)}.`;
}

/** Offset of the first byte that no valid sequence explains; only asked once the file is known to be broken. */
function firstInvalid(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at]!;
    const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (length === 0 || (length > 1 && !isUtf8(bytes.subarray(at, at + length)))) return at;
    at += length;
  }
  return at;
}

const DECLARATION =
  /^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"([^"]*)"|'([^']*)'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/;
/** Longer than any honest declaration. */
const LONGEST = 1000;

/** `malformed` tells a breach of XML itself from a value we do not take. */
export function prologProblem(bytes: Buffer): { text: string; malformed: boolean } | undefined {
  if (!/^<\?xml[ \t\r\n?]/.test(bytes.toString('latin1', 0, 6))) return undefined;
  const declaration = DECLARATION.exec(bytes.toString('latin1', 0, LONGEST));
  if (!declaration) return { text: 'The XML declaration is malformed.', malformed: true };
  const version = declaration[1] ?? declaration[2] ?? '';
  const encoding = declaration[3] ?? declaration[4];
  if (version !== '1.0') {
    return { text: `The XML declaration has version '${shown(version, 20)}', expected 1.0.`, malformed: false };
  }
  if (encoding !== undefined && encoding.toUpperCase() !== 'UTF-8') {
    return { text: `The XML declaration has encoding '${shown(encoding, 40)}', expected UTF-8.`, malformed: false };
  }
  return undefined;
}
