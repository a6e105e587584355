/** Check 8. Looked for before parsing: no entity of a stranger is ever expanded, however small. */
import { placeAt } from './place.ts';

export function doctypeProblem(bytes: Buffer): string | undefined {
  const at = doctypeOffset(bytes);
  return at === undefined ? undefined : `A document type declaration (DOCTYPE) is not allowed (${placeAt(bytes, at)}).`;
}

/** Only white space, comments and processing instructions may stand before a DOCTYPE or the root. */
function doctypeOffset(bytes: Buffer): number | undefined {
  let at = 0;
  for (;;) {
    while (at < bytes.length && ' \t\r\n'.includes(String.fromCharCode(bytes[at]!))) at++;
    const head = bytes.toString('latin1', at, at + 9);
    if (head === '<!DOCTYPE') return at;
    const close = head.startsWith('<!--') ? '-->' : head.startsWith('<?') ? '?>' : undefined;
    if (close === undefined) return undefined;
    const end = bytes.indexOf(close, at + (close === '-->' ? 4 : 2));
    if (end === -1) return undefined;
    at = end + close.length;
  }
}
