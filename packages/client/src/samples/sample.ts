/** What a sample invoice is made of, and the amounts that follow from its lines. */

export type SampleForm = 'FA (2)' | 'FA (3)' | 'FA_RR (1)' | 'PEF (3)' | 'PEF_KOR (3)';

/** Exactly one identifier, or none at all. */
export interface SampleParty {
  nip?: string;
  /** Country code and number of the European Union, e.g. `['DE', '123456789']`. */
  vatUe?: readonly [country: string, number: string];
  /** Any other identifier with an optional country. */
  other?: readonly [country: string | undefined, id: string];
  internalId?: string;
  name?: string;
}

export interface SampleThirdParty extends SampleParty {
  /** 1 to 11, or the description of another role. */
  role: number | string;
}

export interface SampleLine {
  name: string;
  /** Whole pieces. */
  quantity?: number;
  /** Net price of a piece in hundredths; negative in a correction by difference. */
  price: number;
  /** A value of `P_12`; a number is also the percentage. */
  rate?: string;
}

export interface SampleInvoice {
  form?: SampleForm;
  number?: string;
  issueDate?: string;
  /** `DataWytworzeniaFa`. */
  createdAt?: string;
  /** `RodzajFaktury`; by default the plain kind of the form. */
  kind?: string;
  currency?: string;
  /** Zlotys for one unit of a foreign currency, in hundredths; without it no amounts in zlotys are written. */
  exchangeRate?: number;
  seller?: SampleParty;
  buyer?: SampleParty;
  thirdParties?: readonly SampleThirdParty[];
  authorized?: SampleParty & { role: number };
  selfInvoicing?: boolean;
  localGovernmentBuyer?: boolean;
  vatGroupBuyer?: boolean;
  lines?: readonly SampleLine[];
  /** Invoices that this one corrects; `serviceNumber` when they have one. */
  corrects?: readonly { number: string; issueDate: string; serviceNumber?: string }[];
  /** FA (3): a data block; PEF: an embedded file. */
  attachment?: boolean;
  /** Exact length of the document; lines are repeated to reach it. */
  bytes?: number;
}

export interface CompleteSample extends Omit<SampleInvoice, 'bytes'> {
  form: SampleForm;
  number: string;
  issueDate: string;
  createdAt: string;
  kind: string;
  currency: string;
  seller: SampleParty;
  buyer: SampleParty;
  thirdParties: readonly SampleThirdParty[];
  lines: readonly SampleLine[];
  corrects: readonly { number: string; issueDate: string; serviceNumber?: string }[];
}

const KINDS: Record<SampleForm, string> = {
  'FA (2)': 'VAT',
  'FA (3)': 'VAT',
  'FA_RR (1)': 'VAT_RR',
  'PEF (3)': '380',
  'PEF_KOR (3)': '381',
};

export function complete(options: SampleInvoice): CompleteSample {
  const form = options.form ?? 'FA (3)';
  const issueDate = options.issueDate ?? (form === 'FA_RR (1)' ? '2026-04-02' : '2026-02-02');
  const farmer = form === 'FA_RR (1)';
  return {
    ...options,
    form,
    issueDate,
    number: options.number ?? 'FV/1/2026',
    createdAt: options.createdAt ?? `${issueDate}T09:30:00Z`,
    kind: options.kind ?? KINDS[form],
    currency: options.currency ?? 'PLN',
    seller: options.seller ?? { nip: farmer ? '4444444444' : '1111111111', name: farmer ? 'Rolnik' : 'Sprzedawca' },
    buyer: options.buyer ?? { nip: farmer ? '1111111111' : '2222222222', name: 'Nabywca' },
    thirdParties: options.thirdParties ?? [],
    lines: options.lines ?? [{ name: 'Towar', quantity: 2, price: 5000, rate: farmer ? '7' : '23' }],
    corrects: options.corrects ?? [],
  };
}

/** `-4920` hundredths as `-49.20`. */
export function money(hundredths: number): string {
  const digits = String(Math.abs(hundredths)).padStart(3, '0');
  return `${hundredths < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export const net = (line: SampleLine) => (line.quantity ?? 1) * line.price;
export const percent = (line: SampleLine) => Number.parseInt(line.rate ?? '23', 10) || 0;
export const rateOf = (line: SampleLine) => line.rate ?? '23';

/** Net and tax by rate, in the order in which the rates first appear. */
export function byRate(lines: readonly SampleLine[]): { rate: string; percent: number; net: number; tax: number }[] {
  const sums = new Map<string, { rate: string; percent: number; net: number; tax: number }>();
  for (const line of lines) {
    const rate = rateOf(line);
    const sum = sums.get(rate) ?? { rate, percent: percent(line), net: 0, tax: 0 };
    sum.net += net(line);
    sums.set(rate, sum);
  }
  for (const sum of sums.values()) sum.tax = Math.round((sum.net * sum.percent) / 100);
  return [...sums.values()];
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escapeXml = (text: string) => text.replace(/[&<>"]/g, (c) => ESCAPES[c]!);

/** An element with text, or nothing when there is no value. */
export function tag(name: string, value: string | number | undefined): string {
  return value === undefined ? '' : `<${name}>${escapeXml(String(value))}</${name}>`;
}
