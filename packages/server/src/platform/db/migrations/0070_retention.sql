-- How far each kind of record was looked through: what was kept once (a login that opened a session) is kept for ever, so nobody needs to
-- look at it again.
create table retention_position (
  name text primary key,
  position text not null
);

-- Which logins opened sessions: their evidence stands in receipts.
create index session_of_login on session (operation);
