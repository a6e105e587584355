-- The keys of the service. Private parts are wrapped under the master key, which is not in the database.
create table service_key (
  id uuid primary key,
  purpose text not null,
  -- Counts the keys of a purpose: two nodes cannot both make the first one, nor the same next one.
  generation integer not null check (generation > 0),
  algorithm text not null,
  wrapped bytea not null,
  master_key_id text not null,
  -- SubjectPublicKeyInfo and the Base64 SHA-256 of it; null for secrets.
  spki bytea,
  public_key_id text,
  created_at timestamptz not null,
  -- End of a planned rotation: listed and accepted until then.
  retire_at timestamptz,
  -- Emergency: gone and refused from then on.
  withdrawn_at timestamptz,
  unique (purpose, generation),
  check ((spki is null) = (public_key_id is null))
);
create unique index service_key_public_key_id on service_key (public_key_id) where public_key_id is not null;

create table service_key_certificate (
  -- Base64 SHA-256 of the DER.
  id text primary key,
  key_id uuid not null references service_key (id),
  -- The authority that signed it; null when self-signed.
  issuer_key_id uuid references service_key (id),
  der bytea not null,
  valid_from timestamptz not null,
  valid_to timestamptz not null,
  created_at timestamptz not null,
  -- Order of making: times may be equal.
  number bigint generated always as identity
);
create index service_key_certificate_key on service_key_certificate (key_id);
