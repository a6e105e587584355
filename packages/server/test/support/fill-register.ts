import { reserveStamps } from '../../src/invoices/sequencer.ts';
import type { Queryable } from '../../src/platform/db/database.ts';
import { sql } from '../../src/platform/db/sql.ts';

export interface Filling {
  sellerNip: string;
  buyerNip: string;
  count: number;
  /** First moment of acceptance (ms). */
  from: number;
  /** Between one invoice and the next; default a millisecond. */
  stepMs?: number;
  /** Distinguishes several fillings of one register. */
  series: string;
  /** On every invoice, if given. */
  thirdNip?: string;
  authorizedNip?: string;
  /** The buyer is of the European Union, e.g. `DE123456789`, and has no NIP. */
  buyerVatUe?: string;
  /** Characters that no compression makes shorter, added to each document (multiples of 64). */
  noiseBytes?: number;
  /** Dates them at once, as the pipeline does, if nobody else is giving dates; from this moment on at the earliest. */
  datedFrom?: number;
}

/**
 * Loads invoices into the register by SQL alone: for windows and benches, where sending them would take minutes. Those without a date wait
 * for the sequencer.
 */
export async function fillRegister(on: Queryable, f: Filling): Promise<void> {
  const buyer = f.buyerVatUe ? { type: 'VatUe', value: f.buyerVatUe } : { type: 'Nip', value: f.buyerNip };
  const metadata = {
    invoiceType: 'Vat',
    seller: { nip: f.sellerNip, name: 'Sprzedawca' },
    buyer: { identifier: buyer, name: 'Nabywca' },
    thirdSubjects: f.thirdNip ? [{ identifier: { type: 'Nip', value: f.thirdNip }, name: 'Faktor', role: 1 }] : [],
    ...(f.authorizedNip ? { authorizedSubject: { nip: f.authorizedNip, role: 3 } } : {}),
  };
  const noise = Math.ceil((f.noiseBytes ?? 0) / 64);
  await on.execute(sql`
    with made as materialized (
      select n, at, encode(sha256((${f.series} || n)::bytea), 'hex') as digest,
        convert_to('<Faktura>' || ${f.series} || n || coalesce(
          (select string_agg(encode(sha256((${f.series} || n || '/' || m)::bytea), 'hex'), '') from generate_series(1, ${noise}::int) m), '')
          || '</Faktura>', 'UTF8') as document
      from (select n, ${new Date(f.from)}::timestamptz + n * ${f.stepMs ?? 1}::int * interval '1 millisecond' as at
            from generate_series(0, ${f.count - 1}::int) n) s),
    reserved as (${f.datedFrom === undefined ? sql`select null::bigint as before_us` : reserveStamps(f.count, f.datedFrom)}),
    entered as (
      insert into invoice (number, session, session_invoice, context_type, context_value, form, seller_nip, kind, invoice_number, issue_date,
        invoicing_at, acquired_at, mode, buyer_nip, buyer_type, buyer_value, buyer_vat_ue, authorized_nip, net, vat, gross, currency,
        form_value, self_invoicing, has_attachment, hash, metadata, document, stored_us)
      select ${f.sellerNip} || '-' || to_char(at at time zone 'Europe/Warsaw', 'YYYYMMDD') || '-' || upper(substr(digest, 1, 12)) || '-00',
        'filled', -(('x' || substr(digest, 1, 15))::bit(60)::bigint), 'Nip', ${f.sellerNip}, 'FA (3)', ${f.sellerNip}, 'VAT',
        ${f.series} || '/' || n, (at at time zone 'Europe/Warsaw')::date, at, at, 'Online', ${f.buyerVatUe ? null : f.buyerNip},
        ${buyer.type}, ${buyer.value}, ${f.buyerVatUe ?? null}, ${f.authorizedNip ?? null}, 100, 23, 123, 'PLN', 'FA', false, false,
        sha256(document), ${JSON.stringify(metadata)}::jsonb, document, (select before_us from reserved) + 1 + n
      from made
      returning id, invoicing_at, issue_date, stored_us, number)
    insert into invoice_third_party (party_type, party_value, invoice, invoicing_at, issue_date, stored_us, number)
    select 'Nip', ${f.thirdNip ?? ''}::text, id, invoicing_at, issue_date, stored_us, case when stored_us is not null then number end
    from entered where ${f.thirdNip !== undefined}::boolean`);
}
