-- The remaining pairs of subject type and date type, each answered from an index.
create index invoice_authorized_invoicing on invoice (authorized_nip, invoicing_at, number) where stored_us is not null and authorized_nip is not null;
create index invoice_authorized_issue on invoice (authorized_nip, issue_date, number) where stored_us is not null and authorized_nip is not null;
create index invoice_third_party_invoicing on invoice_third_party (party_type, party_value, invoicing_at) where stored_us is not null;
create index invoice_third_party_issue on invoice_third_party (party_type, party_value, issue_date) where stored_us is not null;

-- Mark and upper bound of a metadata query: the pages of one query share them for a while, whichever node answers.
create table metadata_query (
  key bytea primary key,
  mark_us bigint not null,
  upper_ticks bigint not null,
  expires_at timestamptz not null
);
create index metadata_query_expiry on metadata_query (expires_at);

-- An export: accepted, then built as a job. What it covers is fixed at acceptance.
create table invoice_export (
  reference text primary key,
  context_type text not null,
  context_value text not null,
  subject_type text not null,
  subject_value text not null,
  filters jsonb not null,
  upper_ticks bigint not null,
  mark_us bigint not null,
  only_metadata boolean not null,
  compression text not null check (compression in ('Zip', 'TarGz')),
  -- Sealed under the master key; null: it could not be unwrapped (status 415).
  content_key bytea,
  vector bytea not null,
  status smallint not null default 100,
  status_details text[] not null default '{}',
  accepted_at timestamptz not null,
  completed_at timestamptz,
  expires_at timestamptz,
  -- Count, size, truncation and the dates a client goes on from.
  package jsonb
);
-- Running ones of a subject in a context, of which there are at most ten.
create index invoice_export_running on invoice_export (context_type, context_value, subject_type, subject_value) where status = 100;
create index invoice_export_expiry on invoice_export (expires_at) where status = 200;

create table invoice_export_part (
  export text not null references invoice_export (reference),
  ordinal integer not null,
  blob text not null,
  size bigint not null,
  hash bytea not null,
  encrypted_size bigint not null,
  encrypted_hash bytea not null,
  primary key (export, ordinal)
);
