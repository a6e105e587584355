-- A sending session, interactive or batch. Counters move in the transaction that moves the invoices, so they never disagree.
create table session (
  reference text primary key,
  kind text not null check (kind in ('Online', 'Batch')),
  context_type text not null,
  context_value text not null,
  -- Who opened it: that subject (or the owner of the context) sends, closes and reads.
  opener_type text not null,
  opener_value text not null,
  -- Login that opened it; the receipt prints its evidence.
  operation text not null,
  form text not null,
  upo_version text not null,
  -- Content key, sealed under the master key; null: it could not be unwrapped (status 415). A null vector: each ciphertext brings its own.
  content_key bytea,
  vector bytea,
  status smallint not null default 100,
  status_details text[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  valid_until timestamptz not null,
  closed_at timestamptz,
  offline boolean not null default false,
  sent_count integer not null default 0,
  accepted_count integer not null default 0,
  refused_count integer not null default 0,
  -- Batch only: what was declared about the package.
  package jsonb,
  constraint session_counts check (accepted_count + refused_count <= sent_count)
);

-- The list of a context's sessions, newest first.
create index session_of_context on session (context_type, context_value, kind, created_at desc, reference desc);
-- Open ones whose time runs out.
create index session_running_out on session (valid_until) where status = 100;

-- One invoice as it was sent. `due_at` makes it a queue: the row is free from then on, a claim moves it to the end of its lease,
-- a final status clears it.
create table session_invoice (
  id bigint generated always as identity primary key,
  reference text not null unique,
  session text not null references session (reference),
  ordinal integer not null,
  -- Interactive ones first, so that a package of ten thousand delays nobody.
  lane smallint not null default 0,
  due_at timestamptz,
  attempts smallint not null default 0,
  status smallint not null default 100,
  status_details text[] not null default '{}',
  extensions jsonb,
  invoicing_at timestamptz not null,
  declared_hash bytea not null,
  declared_size bigint,
  -- Plain, and for good once it is accepted; as sent when it could not be decrypted.
  content bytea,
  is_plain boolean not null default false,
  offline boolean not null default false,
  corrected_hash bytea,
  file_name text,
  invoice_number text,
  constraint session_invoice_order unique (session, ordinal),
  constraint session_invoice_queue check ((due_at is null) = (status not in (100, 150)))
);
alter table session_invoice alter column content set storage external;

create index session_invoice_due on session_invoice (lane, due_at, id) where due_at is not null;
create index session_invoice_refused on session_invoice (session, ordinal) where due_at is null and status <> 200;
-- Technical corrections look an original up by its hash.
create index session_invoice_by_hash on session_invoice (declared_hash);
