/**
 * Check 10: no character that XML 1.0 discourages, written as itself or as a reference. Schemas do not find them.
 * Searched in the bytes: UTF-8 is self-synchronising, so a sequence found is a character and not a part of one.
 */
import { MAX_DETAILS } from '../verdict.ts';
import { offsetsOutside, quotedRegions } from './lexical.ts';
import { placeAt } from './place.ts';

/** U+007F; U+0080-0084, 0086-009F; U+FDD0-FDEF; the last two code points of planes 1 to 16. */
const SEQUENCES = /\x7f|\xc2[\x80-\x84\x86-\x9f]|\xef\xb7[\x90-\xaf]|[\xf0-\xf4][\x8f\x9f\xaf\xbf]\xbf[\xbe\xbf]/g;

function isDiscouraged(codePoint: number): boolean {
  if (codePoint >= 0x7f && codePoint <= 0x9f) return codePoint !== 0x85;
  if (codePoint >= 0xfdd0 && codePoint <= 0xfdef) return true;
  return codePoint >= 0x10000 && codePoint <= 0x10ffff && (codePoint & 0xfffe) === 0xfffe;
}

export function discouragedCharacterProblems(bytes: Buffer): string[] {
  const found: { at: number; codePoint: number; reference: boolean }[] = [];
  for (const match of bytes.toString('latin1').matchAll(SEQUENCES)) {
    const codePoint = Buffer.from(match[0], 'latin1').toString('utf8').codePointAt(0)!;
    found.push({ at: match.index, codePoint, reference: false });
    if (found.length > MAX_DETAILS) break;
  }
  if (bytes.includes('&#')) found.push(...references(bytes));
  return found
    .sort((a, b) => a.at - b.at)
    .slice(0, MAX_DETAILS + 1)
    .map(({ at, codePoint, reference }) => {
      const name = `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
      return `Discouraged character ${name}${reference ? ', written as a reference,' : ''} at ${placeAt(bytes, at)} is not allowed.`;
    });
}

function* references(bytes: Buffer) {
  let count = 0;
  for (const at of offsetsOutside(bytes, '&#', 0, quotedRegions(bytes), Number.POSITIVE_INFINITY)) {
    // Leading zeros are legal, so the reference is read to its end, which a well-formed document has.
    const text = bytes.toString('latin1', at + 2, bytes.indexOf(';', at));
    const codePoint = text[0] === 'x' ? Number.parseInt(text.slice(1), 16) : Number.parseInt(text, 10);
    if (!isDiscouraged(codePoint)) continue;
    yield { at, codePoint, reference: true };
    if (++count > MAX_DETAILS) return;
  }
}
