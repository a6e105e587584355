-- Challenges live ten minutes; deleted by the way, see auth/issue-challenge.ts. Whoever sets consumed_by first has used the challenge.
create table auth_challenge (
  value text primary key,
  created_at timestamptz not null,
  client_ip text not null,
  consumed_by text
);

-- The sweep deletes by age and must not read the live ones.
create index auth_challenge_by_age on auth_challenge (created_at);
