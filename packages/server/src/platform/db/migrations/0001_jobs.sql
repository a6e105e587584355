-- Durable jobs. A finished job is deleted, so the table holds only what is still to do, is being done, or is parked.
create table job (
  id bigint generated always as identity primary key,
  queue text not null,
  payload jsonb not null,
  -- Not more than one waiting or running job of a queue has the same key.
  key text,
  -- When it may be taken: the scheduled time while it waits, the end of the lease while it runs. One column, so that one
  -- index finds both what is due and what a dead worker left behind.
  due_at timestamptz not null,
  -- Times it was handed to a handler.
  attempts integer not null default 0,
  -- Who works on it: a value per claim, so that a worker whose lease ran out cannot finish the job of its successor.
  claim uuid,
  -- Set once it failed for the last time.
  parked_at timestamptz,
  last_error text,
  created_at timestamptz not null
);

create index job_due on job (queue, due_at, id) where parked_at is null;
create unique index job_key on job (queue, key) where key is not null and parked_at is null;
create index job_parked on job (queue, parked_at) where parked_at is not null;
-- For renewing leases and for counting what runs: small, whatever waits.
create index job_running on job (queue, claim) where claim is not null;

-- Many updates in place and deletes: vacuum early, or dead entries slow down the search for due jobs.
alter table job set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, fillfactor = 80);
