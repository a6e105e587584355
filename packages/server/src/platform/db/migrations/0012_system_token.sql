-- A secret bound to one context, one author and one set of permissions. The secret itself is never stored.
create table system_token (
  reference text primary key,
  secret_hash bytea not null,
  author_type text not null,
  author_value text not null,
  context_type text not null,
  context_value text not null,
  permissions text[] not null,
  description text not null,
  -- Lower case made by the service, so that a search does not depend on the locale of the database.
  description_folded text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  status text not null check (status in ('Pending', 'Active', 'Revoking', 'Revoked', 'Failed')),
  status_details text[] not null default '{}'
);

create index system_token_by_context on system_token (context_type, context_value, created_at desc, reference desc);
create index system_token_by_author
  on system_token (context_type, context_value, author_type, author_value, created_at desc, reference desc);
