/** Check 9: no processing instruction before, inside or after the root. The XML declaration is not one. */
import { MAX_DETAILS, shown } from '../verdict.ts';
import { offsetsOutside, quotedRegions } from './lexical.ts';
import { placeAt } from './place.ts';

export function processingInstructionProblems(bytes: Buffer): string[] {
  const afterProlog = /^<\?xml[ \t\r\n]/.test(bytes.toString('latin1', 0, 6)) ? bytes.indexOf('?>') + 2 : 0;
  if (bytes.indexOf('<?', afterProlog) === -1) return [];
  return offsetsOutside(bytes, '<?', afterProlog, quotedRegions(bytes), MAX_DETAILS + 1).map((at) => {
    const name = /^<\?([^\s?]*)/.exec(bytes.toString('utf8', at, at + 80))?.[1] ?? '';
    return `Processing instruction '${shown(name, 40)}' at ${placeAt(bytes, at)} is not allowed.`;
  });
}
