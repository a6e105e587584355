-- An authentication operation; after a success the same row is the authentication session.
-- After seven days the status endpoint answers 410 by age, and a row that is not there answers 21304: rows go only when the operator says so
-- (--keep-days), and never those that opened a sending session.
create table auth_operation (
  reference text primary key,
  started_at timestamptz not null,
  method text not null,
  context_type text not null,
  context_value text not null,
  -- Unknown until processed for logins by system token or internal certificate: their registries name the subject.
  subject_type text,
  subject_value text,
  subject_details jsonb not null default '{}',
  allowed_ips jsonb,
  status smallint not null default 100,
  status_details text[] not null default '{}',
  -- Until when a session counts as active: first the authentication token's end, after redeeming the refresh token's.
  active_until timestamptz not null,
  redeemed_at timestamptz,
  refresh_valid_until timestamptz,
  last_refresh_at timestamptz,
  -- Milliseconds of the challenge a login by system token consumed; null: there was no live one, which ends in 450.
  challenge_ms bigint,
  -- Evidence of the login: a receipt prints one of the two.
  document_hash bytea,
  system_token text,
  constraint auth_operation_redeemed check ((redeemed_at is null) = (refresh_valid_until is null))
);

-- The list of one's active sessions, newest first; failed and revoked logins do not weigh on it.
create index auth_operation_active on auth_operation (subject_type, subject_value, started_at desc, reference desc)
  where status = 200;
