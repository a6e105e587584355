-- Peppol service providers: each enters by its first successful login, a later one may bring a new name.
create table peppol_provider (
  id text primary key,
  name text not null,
  created_at timestamptz not null
);

create index peppol_provider_newest on peppol_provider (created_at desc, id);
