import type { InvoiceFilters } from '@kwit/client';
import { parseDateTime } from '@kwit/contract/date-time';
import { DATE_TYPES, type DateType, INVOICE_SUBJECT_TYPES, type InvoiceSubjectType } from '@kwit/contract/enumerations';
import { CURRENCY_CODES, FORM_TYPES, INVOICE_TYPES } from '@kwit/contract/invoice-forms';
import { isInvoiceNumber } from '@kwit/contract/invoice-number';
import { parseDuration } from './duration.ts';
import { checked } from './identifier.ts';
import { Misuse } from './run-command.ts';

/** Flags that say which invoices. */
export const FILTER_OPTIONS = {
  as: { type: 'string' },
  by: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  number: { type: 'string' },
  'invoice-number': { type: 'string' },
  seller: { type: 'string' },
  currency: { type: 'string', multiple: true },
  type: { type: 'string', multiple: true },
  form: { type: 'string' },
} as const;

export const FILTER_HELP = `Which invoices
  --as <role>              seller (default), buyer, third or authorized: the role of the context on them
  --from <when>            a date, a date-time, or a time back from now such as 30d (default 30d); --to the same (default now)
  --by <date>              issue, invoicing or storage (default): the date that --from and --to mean
  --number <number>        number given by the service
  --invoice-number <text>  number given by the issuer
  --seller <nip>           NIP of the seller
  --currency <code>        e.g. EUR; may be given several times
  --type <type>            e.g. Vat, Kor, Zal; may be given several times
  --form <form>            ${FORM_TYPES.join(', ')}`;

export type FilterValues = { [K in keyof typeof FILTER_OPTIONS]?: string | string[] | undefined };

const ROLES: Readonly<Record<string, InvoiceSubjectType>> = {
  seller: 'Subject1',
  buyer: 'Subject2',
  third: 'Subject3',
  authorized: 'SubjectAuthorized',
};
const DATES: Readonly<Record<string, DateType>> = {
  issue: 'Issue',
  invoicing: 'Invoicing',
  storage: 'PermanentStorage',
};

export function readRole(option: string, text: string): InvoiceSubjectType {
  return pick(option, text, ROLES, INVOICE_SUBJECT_TYPES);
}

export function readFilters(values: FilterValues, now: number): InvoiceFilters {
  const one = (name: keyof FilterValues) => values[name] as string | undefined;
  const several = (name: keyof FilterValues) => values[name] as string[] | undefined;
  const to = one('to');
  const number = one('number');
  if (number !== undefined && !isInvoiceNumber(number)) throw new Misuse(`--number: '${number}' is no invoice number.`);
  return {
    subjectType: readRole('--as', one('as') ?? 'seller'),
    dateRange: {
      dateType: pick('--by', one('by') ?? 'storage', DATES, DATE_TYPES),
      from: readMoment('--from', one('from') ?? '30d', now),
      ...(to === undefined ? {} : { to: readMoment('--to', to, now) }),
    },
    ...given('svcNumber', number),
    ...given('invoiceNumber', one('invoice-number')),
    ...given('sellerNip', values.seller === undefined ? undefined : checked('--seller', 'Nip', one('seller') ?? '')),
    ...given(
      'currencyCodes',
      several('currency')?.map((text) => among('--currency', text, CURRENCY_CODES)),
    ),
    ...given(
      'invoiceTypes',
      several('type')?.map((text) => among('--type', text, INVOICE_TYPES)),
    ),
    ...given('formType', values.form === undefined ? undefined : among('--form', one('form') ?? '', FORM_TYPES)),
  };
}

function given<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

/** A moment as the service takes it, or so long before now. */
export function readMoment(option: string, text: string, now: number): string {
  const back = parseDuration(text);
  if (back !== undefined) return new Date(now - back).toISOString();
  if (parseDateTime(text) !== undefined) return text;
  throw new Misuse(`${option}: '${text}' is no date, date-time or time back from now such as 30d.`);
}

function pick<T extends string>(
  option: string,
  text: string,
  names: Readonly<Record<string, T>>,
  values: readonly T[],
): T {
  const lower = text.toLowerCase();
  const found = names[lower] ?? values.find((value) => value.toLowerCase() === lower);
  if (found) return found;
  throw new Misuse(`${option}: '${text}' is not allowed; expected ${Object.keys(names).join(' | ')}.`);
}

function among<T extends string>(option: string, text: string, values: readonly T[]): T {
  const found = values.find((value) => value.toLowerCase() === text.toLowerCase());
  if (found) return found;
  throw new Misuse(
    `${option}: '${text}' is not allowed; expected ${values.slice(0, 12).join(', ')}${values.length > 12 ? ', …' : ''}.`,
  );
}
