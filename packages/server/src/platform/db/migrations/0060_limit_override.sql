-- Limits that differ from the defaults: of sessions in a context, of certificates of a subject, of requests in a context.
-- Only what was changed is kept; everything else follows the defaults of the contract. No row: all of it does.
create table limit_override (
  scope text not null check (scope in ('context', 'subject', 'requests')),
  type text not null,
  value text not null,
  limits jsonb not null check (jsonb_typeof(limits) = 'object'),
  changed_at timestamptz not null,
  primary key (scope, type, value)
);
