-- What the service knows about persons and entities from outside (on TEST: from /testdata).
-- Rows are closed by end_date and never deleted; end_date is null means in force.

-- NIP and PESEL of one sole trader: the two identifiers are one subject while the row is in force.
create table person (
  id uuid primary key,
  nip text not null,
  pesel text not null,
  is_bailiff boolean not null,
  is_deceased boolean not null,
  description text not null,
  start_date timestamptz not null,
  end_date timestamptz
);
create unique index person_nip_in_force on person (nip) where end_date is null;
create unique index person_pesel_in_force on person (pesel) where end_date is null;
-- A person created again must be younger than before: the newest row of a NIP, in force or not.
create index person_history on person (nip, start_date desc);

-- Roles of an entity. `origin` says which register it came from: an entity is registered once, beside a person of the same NIP.
create table entity_role (
  id uuid primary key,
  nip text not null,
  role text not null,
  parent_nip text,
  origin text not null check (origin in ('Subject', 'Person')),
  description text not null,
  start_date timestamptz not null,
  end_date timestamptz,
  constraint entity_role_parent check ((parent_nip is not null) = (role in ('LocalGovernmentSubUnit', 'VatGroupSubUnit')))
);
create unique index entity_role_in_force on entity_role (nip, origin) where end_date is null;
create index entity_role_children on entity_role (parent_nip, start_date desc, id) where end_date is null;
create index entity_role_history on entity_role (nip, start_date desc) where origin = 'Subject';

-- Units of a NIP and EU entities that bill for one: contexts that come into being by the first grant that names them.
create table internal_unit (
  internal_id text primary key,
  nip text not null,
  name text not null,
  created_at timestamptz not null
);

create table eu_entity (
  nip_vat_ue text primary key,
  name text not null,
  details jsonb not null,
  created_at timestamptz not null
);

-- Consent to send invoices with attachments, one per seller. In force while revoked_date is missing or still ahead.
create table attachment_consent (
  nip text primary key,
  granted_at timestamptz not null,
  revoked_date timestamptz
);

-- Contexts into which nobody logs in for now.
create table blocked_context (
  type text not null,
  value text not null,
  blocked_at timestamptz not null,
  primary key (type, value)
);
