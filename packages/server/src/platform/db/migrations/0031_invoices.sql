-- The register: every accepted invoice with its number. Rows are written once; only `stored_us` is filled afterwards, by the sequencer.
create table invoice (
  id bigint generated always as identity primary key,
  number text not null unique,
  session text not null,
  session_invoice bigint not null unique,
  context_type text not null,
  context_value text not null,
  form text not null,
  -- What makes a duplicate: seller, kind and the issuer's number.
  seller_nip text not null,
  kind text not null,
  invoice_number text not null,
  issue_date date not null,
  invoicing_at timestamptz not null,
  acquired_at timestamptz not null,
  -- Microseconds since 1970, strictly increasing in the order of stamping; null: not in permanent storage yet, visible to nobody.
  stored_us bigint,
  mode text not null check (mode in ('Online', 'Offline')),
  buyer_nip text,
  buyer_type text not null,
  buyer_value text,
  authorized_nip text,
  -- Polish part and EU part of a composite context are compared as a pair.
  buyer_vat_ue text,
  net numeric(22, 2) not null,
  vat numeric(22, 2) not null,
  gross numeric(22, 2) not null,
  currency text not null,
  form_value text not null,
  self_invoicing boolean not null,
  has_attachment boolean not null,
  hash bytea not null,
  corrected_hash bytea,
  -- Parties, names and roles as the metadata shows them.
  metadata jsonb not null,
  -- As sent by its issuer. Null: it lies plain in its queue row and stays there, so that it is written once.
  document bytea
);
alter table invoice alter column document set storage external;

create unique index invoice_duplicate on invoice (seller_nip, kind, invoice_number);
-- One accepted technical correction per corrected document and context.
create unique index invoice_correction on invoice (context_type, context_value, corrected_hash) where corrected_hash is not null;
create index invoice_by_hash on invoice (hash);
-- Waiting for the sequencer.
create index invoice_unstored on invoice (id) where stored_us is null;

-- Each subject type by each date type, from an index.
create index invoice_seller_stored on invoice (seller_nip, stored_us, number) where stored_us is not null;
create index invoice_seller_invoicing on invoice (seller_nip, invoicing_at, number) where stored_us is not null;
create index invoice_seller_issue on invoice (seller_nip, issue_date, number) where stored_us is not null;
create index invoice_buyer_stored on invoice (buyer_nip, stored_us, number) where stored_us is not null and buyer_nip is not null;
create index invoice_buyer_invoicing on invoice (buyer_nip, invoicing_at, number) where stored_us is not null and buyer_nip is not null;
create index invoice_buyer_issue on invoice (buyer_nip, issue_date, number) where stored_us is not null and buyer_nip is not null;
create index invoice_authorized on invoice (authorized_nip, stored_us) where stored_us is not null and authorized_nip is not null;

-- Third parties, up to a hundred an invoice: who may see it under Subject3. Dates are repeated so that one index answers.
create table invoice_third_party (
  party_type text not null check (party_type in ('Nip', 'InternalId')),
  party_value text not null,
  invoice bigint not null references invoice (id),
  stored_us bigint,
  invoicing_at timestamptz not null,
  issue_date date not null,
  primary key (party_type, party_value, invoice)
);
create index invoice_third_party_of on invoice_third_party (invoice);
create index invoice_third_party_stored on invoice_third_party (party_type, party_value, stored_us) where stored_us is not null;

-- The high-water mark: one row. After a mark was shown, nothing is ever stamped at or below it.
create table storage_mark (
  singleton boolean primary key default true check (singleton),
  mark_us bigint not null
);
insert into storage_mark (mark_us) values (0);

-- Receipts: recorded when they become due, signed once, then the same bytes for ever.
create table upo_page (
  reference text primary key,
  session text not null references session (reference),
  page integer not null,
  page_count integer not null,
  first_document integer not null,
  last_document integer not null,
  document_count integer not null,
  document bytea,
  unique (session, page)
);
create table invoice_upo (
  invoice bigint primary key references invoice (id),
  document bytea not null
);
