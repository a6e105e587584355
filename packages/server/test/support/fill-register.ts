import type { Queryable } from '../../src/platform/db/database.ts';
import { sql } from '../../src/platform/db/sql.ts';

export interface Filling {
  sellerNip: string;
  buyerNip: string;
  count: number;
  /** First moment of acceptance (ms); each further invoice a millisecond later. */
  from: number;
  /** Distinguishes several fillings of one register. */
  series: string;
}

/** Loads invoices into the register by SQL alone: for windows and benches, where sending them would take minutes. They wait for the sequencer. */
export async function fillRegister(on: Queryable, f: Filling): Promise<void> {
  const metadata = {
    invoiceType: 'Vat',
    seller: { nip: f.sellerNip, name: 'Sprzedawca' },
    buyer: { identifier: { type: 'Nip', value: f.buyerNip }, name: 'Nabywca' },
    thirdSubjects: [],
  };
  await on.execute(sql`
    insert into invoice (number, session, session_invoice, context_type, context_value, form, seller_nip, kind, invoice_number, issue_date,
      invoicing_at, acquired_at, mode, buyer_nip, buyer_type, buyer_value, net, vat, gross, currency, form_value, self_invoicing,
      has_attachment, hash, metadata, document)
    select ${f.sellerNip} || '-' || to_char(at at time zone 'Europe/Warsaw', 'YYYYMMDD') || '-' ||
        upper(substr(encode(sha256((${f.series} || n)::bytea), 'hex'), 1, 12)) || '-00',
      'filled', -(('x' || substr(encode(sha256((${f.series} || n)::bytea), 'hex'), 1, 15))::bit(60)::bigint), 'Nip', ${f.sellerNip}, 'FA (3)',
      ${f.sellerNip}, 'VAT', ${f.series} || '/' || n, (at at time zone 'Europe/Warsaw')::date, at, at, 'Online', ${f.buyerNip}, 'Nip', ${f.buyerNip},
      100, 23, 123, 'PLN', 'FA', false, false, sha256((${f.series} || n)::bytea), ${JSON.stringify(metadata)}::jsonb,
      convert_to('<Faktura>' || ${f.series} || n || '</Faktura>', 'UTF8')
    from (select n, ${new Date(f.from)}::timestamptz + n * interval '1 millisecond' as at from generate_series(0, ${f.count - 1}::int) n) s`);
}
