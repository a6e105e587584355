-- Answers to the questions asked before an invoice is handed out by its verification link. A try is counted before it is judged, so
-- that tries at the same time on several nodes count each; a right answer removes the row.
create table verification_attempt (
  invoice bigint not null references invoice (id) on delete cascade,
  -- The client's address; of IPv6 the network.
  address text not null,
  wrong integer not null,
  -- When the count is forgotten; with too many wrong answers, when the lock ends.
  until timestamptz not null,
  primary key (invoice, address)
);
create index verification_attempt_until on verification_attempt (until);
