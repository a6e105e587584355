import { CONTROL_FIELDS } from '@kwit/contract/verification-endpoints';

/** What a reader typed into the form of code I. */
export interface ControlData {
  invoiceNumber: string;
  /** Empty: the invoice is said to name none. */
  buyerIdentifier: string;
  /** Hundredths; undefined: not an amount. */
  gross: bigint | undefined;
  wantsXml: boolean;
}

/** Far more than a right answer needs, percent-encoded. */
const LONGEST_FORM = 8_192;

export type ControlProblem = 'form' | 'invoiceNumber' | 'grossAmount';

/** Reads the form, or names what cannot be an answer at all. Those are not counted as wrong. */
export function readControlData(body: Buffer): ControlData | { problems: readonly ControlProblem[] } {
  if (body.length > LONGEST_FORM) return { problems: ['form'] };
  const fields = new URLSearchParams(body.toString('utf8'));
  const text = (name: string) => collapsed(fields.get(name) ?? '');
  const data = {
    invoiceNumber: text(CONTROL_FIELDS.invoiceNumber),
    buyerIdentifier: text(CONTROL_FIELDS.buyerIdentifier),
    gross: hundredths(text(CONTROL_FIELDS.grossAmount)),
    wantsXml: text(CONTROL_FIELDS.view) === 'xml',
  };
  const problems = [
    ...(data.invoiceNumber === '' ? (['invoiceNumber'] as const) : []),
    ...(data.gross === undefined ? (['grossAmount'] as const) : []),
  ];
  return problems.length > 0 ? { problems } : data;
}

/** As the register keeps numbers: runs of white space are one blank. */
const collapsed = (text: string) => text.replace(/[\t\n\r ]+/g, ' ').replace(/^ | $/g, '');

/** `1 230,5` and `1230.50` are the same amount: blanks between digits, comma or point, up to two digits behind it. */
function hundredths(text: string): bigint | undefined {
  const plain = text.replace(/(?<=\d)[ \u00a0\u202f](?=\d)/g, '').replace(/^\u2212/, '-');
  const match = /^(-?)(\d{1,20})(?:[.,](\d{1,2}))?$/.exec(plain);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = ''] = match;
  const units = BigInt(whole + fraction.padEnd(2, '0'));
  return sign === '-' ? -units : units;
}

export interface ControlFacts {
  invoiceNumber: string;
  buyer: { type: string; value: string | undefined };
  /** Decimal text with two digits behind the point. */
  gross: string;
}

/** All three must fit; which one did not is nobody's business. */
export function fits(typed: ControlData, facts: ControlFacts): boolean {
  return (
    typed.invoiceNumber === facts.invoiceNumber &&
    typed.gross === hundredths(facts.gross) &&
    fitsBuyer(typed.buyerIdentifier, facts.buyer)
  );
}

/** Tax numbers are read without the blanks and hyphens people put into them, a Polish one also with its prefix. */
function fitsBuyer(typed: string, { type, value = '' }: ControlFacts['buyer']): boolean {
  const plain = typed.replace(/[ -]/g, '').toUpperCase();
  if (type === 'Nip') return plain.replace(/^PL(?=\d)/, '') === value;
  if (type === 'VatUe') return plain === value.toUpperCase();
  return typed === value;
}

/** Tries are counted by address; of IPv6 by the network of 64 bits, which one household has to itself. */
export function triesAddress(clientIp: string): string {
  if (!clientIp.includes(':')) return clientIp;
  const [head = '', tail] = (clientIp.split('%')[0] as string).toLowerCase().split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const front = groups(head);
  const back = groups(tail ?? '');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const all = [...front, ...Array.from({ length: missing }, () => '0'), ...back];
  const network = all.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}
