-- A grant or revoke on its way: 100 until settled, then final. Readers get 410 when it is older than 30 days; the row stays.
create table permission_operation (
  reference text primary key,
  context_type text not null,
  context_value text not null,
  author_type text not null,
  author_value text not null,
  request jsonb not null,
  status smallint not null default 100,
  status_details text[] not null default '{}',
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint permission_operation_finished check ((status = 100) = (finished_at is null))
);
