import type { Database } from '../../packages/server/src/platform/db/database.ts';
import { raw, sql } from '../../packages/server/src/platform/db/sql.ts';

/** Parties of the register: four that are on a tenth of all invoices each, one whose invoices are exported, and a crowd of small ones. */
export const PARTIES = {
  seller: '5265877635',
  buyer: '1234563218',
  third: '7762811692',
  authorized: '6824515772',
  exporter: '8980017188',
};

const EXPORTED = 10_000;

/**
 * Loads invoices numbered `first` to `last` straight into the register, stored one millisecond apart, without waiting for any index: those
 * that are not unique are made anew afterwards, which is several times faster.
 */
export async function loadRegister(database: Database, first: number, last: number): Promise<void> {
  const indexes = await database.query<{ name: string; definition: string }>(sql`
    select c.relname as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid in ('invoice'::regclass, 'invoice_third_party'::regclass) and not i.indisunique`);
  await database.transaction(async (tx) => {
    for (const { name } of indexes) await tx.execute(raw(`drop index ${name}`));
    await tx.execute(raw(`set local maintenance_work_mem = '256MB'`));
    await insertInvoices(tx, first, last);
    for (const { definition } of indexes) await tx.execute(raw(definition));
  });
  await database.execute(raw('vacuum analyze invoice'));
  await database.execute(raw('vacuum analyze invoice_third_party'));
}

/** The first ten thousand of the exporter have documents of a usual size; the others none to speak of. */
async function insertInvoices(tx: Pick<Database, 'execute'>, first: number, last: number): Promise<void> {
  const { seller, buyer, third, authorized, exporter } = PARTIES;
  await tx.execute(sql`
    with made as (
      select n, timestamptz '2026-09-01 06:00:00Z' + n * interval '5 seconds' as at,
        case when n % 10 = 0 then ${seller} when n % 10 = 1 and n < ${EXPORTED * 10} then ${exporter}
          else (1000000000 + (n::bigint * 7919) % 50000 * 17)::text end as seller,
        case when n % 10 = 2 then ${buyer} else (2000000000 + (n::bigint * 104729) % 50000 * 13)::text end as buyer,
        upper(lpad(to_hex(n), 12, '0')) as technical
      from generate_series(${first}::int, ${last}::int) n)
    insert into invoice (number, session, session_invoice, context_type, context_value, form, seller_nip, kind, invoice_number, issue_date,
      invoicing_at, acquired_at, stored_us, mode, buyer_nip, buyer_type, buyer_value, authorized_nip, net, vat, gross, currency, form_value,
      self_invoicing, has_attachment, hash, metadata, document)
    select seller || '-' || to_char(at, 'YYYYMMDD') || '-' || technical || '-00', 'loaded', n, 'Nip', seller, 'FA (3)', seller, 'VAT',
      'FV/' || n, at::date, at, at, (extract(epoch from at) * 1000000)::bigint + 1, 'Online', buyer, 'Nip', buyer,
      case when n % 10 = 3 then ${authorized} end, 100, 23, 123, 'PLN', 'FA', false, false, sha256(d.document),
      jsonb_build_object('invoiceType', 'Vat', 'seller', jsonb_build_object('nip', seller, 'name', 'Sprzedawca i Wspólnicy'),
        'buyer', jsonb_build_object('identifier', jsonb_build_object('type', 'Nip', 'value', buyer), 'name', 'Nabywca'),
        'thirdSubjects', case when n % 10 = 4 then jsonb_build_array(jsonb_build_object('identifier',
          jsonb_build_object('type', 'Nip', 'value', ${third}::text), 'name', 'Faktor', 'role', 1)) else '[]'::jsonb end),
      d.document
    from made, lateral (select convert_to('<Faktura>' || n || case when made.seller = ${exporter} then
      repeat(md5(n::text), 60) else '' end || '</Faktura>', 'UTF8') as document) d`);
  await tx.execute(sql`
    insert into invoice_third_party (party_type, party_value, invoice, number, stored_us, invoicing_at, issue_date)
    select 'Nip', ${third}, id, number, stored_us, invoicing_at, issue_date from invoice
    where session_invoice between ${first} and ${last} and session_invoice % 10 = 4`);
  await tx.execute(sql`
    update storage_mark set mark_us = greatest(mark_us, (select max(stored_us) from invoice))`);
}
