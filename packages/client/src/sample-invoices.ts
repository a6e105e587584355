/**
 * Valid invoices of every document type, for tries, tests, benches and the demo: `sampleInvoice()` alone gives a complete FA (3).
 * Everything that usually varies is an option; what does not is changed in the returned text. All amounts follow from the lines.
 */
import { faDocument } from './samples/fa.ts';
import { pefDocument } from './samples/pef.ts';
import { rrDocument } from './samples/rr.ts';
import type { SampleInvoice } from './samples/sample.ts';
import { complete } from './samples/sample.ts';

export type { SampleForm, SampleInvoice, SampleLine, SampleParty, SampleThirdParty } from './samples/sample.ts';

/** The document's text. Encode it as UTF-8. */
export function sampleInvoice(options: SampleInvoice = {}): string {
  if (options.bytes === undefined) return build(options);
  return grown(options, options.bytes);
}

function build(options: SampleInvoice): string {
  const sample = complete(options);
  switch (sample.form) {
    case 'FA (2)':
    case 'FA (3)':
      return faDocument(sample);
    case 'FA_RR (1)':
      return rrDocument(sample);
    case 'PEF (3)':
    case 'PEF_KOR (3)':
      return pefDocument(sample);
  }
}

const size = (text: string) => Buffer.byteLength(text, 'utf8');

/** Repeats the lines until nearly `bytes` are reached and fills the rest with a comment behind the root: exactly `bytes` long. */
function grown(options: SampleInvoice, bytes: number): string {
  const lines = complete(options).lines;
  const withLines = (count: number) =>
    build({ ...options, lines: Array.from({ length: count }, (_, i) => lines[i % lines.length]!) });
  const frame = '<!---->'.length;
  const base = size(withLines(lines.length));
  const perLine = Math.max(1, (size(withLines(lines.length + 100)) - base) / 100);
  let count = Math.max(lines.length, Math.min(10_000, Math.floor((bytes - base) / perLine) + lines.length));
  let text = withLines(count);
  while (count > lines.length && size(text) + frame > bytes) text = withLines(--count);
  const rest = bytes - size(text);
  if (rest === 0) return text;
  if (rest < frame) throw new RangeError(`no ${options.form ?? 'FA (3)'} sample has exactly ${bytes} bytes`);
  return `${text}<!--${'.'.repeat(rest - frame)}-->`;
}
