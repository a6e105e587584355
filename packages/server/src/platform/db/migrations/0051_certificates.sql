-- Requests for certificates. After thirty days the status answers 410 by age, and what is not there answers 25005: rows without a certificate
-- go only when the operator says so (--keep-days).
create table certificate_enrollment (
  reference text primary key,
  owner_type text not null check (owner_type in ('Nip', 'Pesel', 'Fingerprint')),
  owner_value text not null,
  requested_at timestamptz not null,
  type text not null check (type in ('Authentication', 'Offline')),
  name text not null,
  csr bytea not null,
  -- Attributes the certificate will carry, as they were given to the requester.
  subject jsonb not null,
  -- Null: the moment of issuance.
  valid_from timestamptz,
  -- Address of the service under which its revocation list is found.
  service_address text not null,
  status smallint not null default 100,
  status_details text[] not null default '{}'
);
-- Counts the requests of the last thirty days.
create index certificate_enrollment_by_owner on certificate_enrollment (owner_type, owner_value, requested_at);

-- Every certificate ever to be issued: the row is there before the signature is made, and it is never deleted, so that a serial
-- number is never given twice. Without `der` it is an intent: it counts towards the limit and is shown to nobody.
create table certificate (
  serial text primary key check (serial ~ '^(0[1-9A-F]|[1-7][0-9A-F])[0-9A-F]{14}$'),
  enrollment text not null unique references certificate_enrollment (reference),
  owner_type text not null,
  owner_value text not null,
  type text not null,
  name text not null,
  -- Lower case made by the service, so that a search does not depend on the locale of the database.
  name_folded text not null,
  common_name text not null,
  subject jsonb not null,
  spki bytea not null,
  -- Key identifier of the authority that signs it, in hexadecimal digits.
  authority text not null,
  valid_from timestamptz not null,
  valid_to timestamptz not null,
  requested_at timestamptz not null,
  der bytea,
  -- SHA-256 of the DER, upper-case hexadecimal digits.
  fingerprint text,
  blocked_at timestamptz,
  revoked_at timestamptz,
  reason text check (reason in ('Unspecified', 'Superseded', 'KeyCompromise')),
  last_used_at timestamptz,
  check ((der is null) = (fingerprint is null)),
  check ((blocked_at is null) = (revoked_at is null))
);
create index certificate_by_owner on certificate (owner_type, owner_value, requested_at desc, serial);
create index certificate_revoked on certificate (authority, valid_to) where blocked_at is not null;

-- Who had a key certified first: nobody else ever gets it certified, whatever became of the certificate.
create table certified_key (
  -- SHA-256 of the SubjectPublicKeyInfo in its canonical form.
  spki_hash bytea primary key,
  owner_type text not null,
  owner_value text not null
);

-- The last list of each authority.
create table certificate_revocation_list (
  authority text primary key,
  number bigint not null,
  -- Null until the first one is signed.
  der bytea,
  next_update timestamptz not null,
  -- Something was revoked since.
  stale boolean not null
);

-- Verification links name a corrected document by its hash alone.
create index invoice_by_corrected_hash on invoice (corrected_hash) where corrected_hash is not null;
