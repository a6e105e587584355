import type { Input } from '@kwit/contract/endpoint';
import type { startExport } from '@kwit/contract/retrieval-endpoints';
import { and, type Sql, sql } from '../platform/db/sql.ts';

export type Filters = Input<typeof startExport, 'body'>['filters'];

/** Rules that a schema cannot say. */
export function checkFilters(filters: Filters, failures: string[]): void {
  const { amount } = filters;
  if (amount?.from !== undefined && amount.to !== undefined && amount.to < amount.from) {
    failures.push("'amount.to' must be greater than or equal to 'amount.from'.");
  }
}

/** Everything but role and period; all must hold, inside a list any may match, an empty list asks for nothing. */
export function filterCondition(f: Filters): Sql {
  const { amount, buyerIdentifier: buyer } = f;
  return and([
    f.svcNumber !== undefined && sql`i.number = ${f.svcNumber}`,
    f.invoiceNumber !== undefined && sql`i.invoice_number = ${f.invoiceNumber}`,
    f.sellerNip !== undefined && sql`i.seller_nip = ${f.sellerNip}`,
    buyer !== undefined && sql`i.buyer_type = ${buyer.type}`,
    buyer?.value !== undefined && buyer.type !== 'None' && sql`i.buyer_value = ${buyer.value}`,
    given(f.currencyCodes) && sql`i.currency = any(${f.currencyCodes})`,
    f.invoicingMode !== undefined && sql`i.mode = ${f.invoicingMode}`,
    f.isSelfInvoicing !== undefined && sql`i.self_invoicing = ${f.isSelfInvoicing}`,
    f.formType !== undefined && sql`i.form_value = ${f.formType}`,
    given(f.invoiceTypes) && sql`i.metadata->>'invoiceType' = any(${f.invoiceTypes})`,
    f.hasAttachment !== undefined && sql`i.has_attachment = ${f.hasAttachment}`,
    f.schemaType !== undefined && sql`i.form = ${SCHEMA_FORMS[f.schemaType]}`,
    amount?.from !== undefined && AMOUNTS[amount.type ?? 'Brutto'](sql`>= ${String(amount.from)}::numeric`),
    amount?.to !== undefined && AMOUNTS[amount.type ?? 'Brutto'](sql`<= ${String(amount.to)}::numeric`),
  ]);
}

/** Does anything but role and period ask for the row itself? */
export function looksAtRows({ subjectType: _, dateRange: __, ...others }: Filters): boolean {
  return filterCondition(others as Filters).text !== NOTHING;
}
const NOTHING = and([]).text;

function given<T>(list: readonly T[] | undefined): list is readonly T[] {
  return list !== undefined && list.length > 0;
}

const AMOUNTS = {
  Brutto: (bound: Sql) => sql`i.gross ${bound}`,
  Netto: (bound: Sql) => sql`i.net ${bound}`,
  Vat: (bound: Sql) => sql`i.vat ${bound}`,
} as const;

/** `FA1` was never accepted here: it matches nothing. */
const SCHEMA_FORMS = { FA1: 'FA (1)', FA2: 'FA (2)', FA3: 'FA (3)' } as const;
