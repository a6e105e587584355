-- Durable jobs. A finished job is deleted, so the table holds only what is still to do, is being done, or is parked.
create table job (
  id bigint generated always as identity primary key,
  queue text not null,
  payload jsonb not null,
  -- At most one job with this key waits or runs in a queue.
  key text,
  -- While it waits: not before this moment. While it runs: the end of its lease.
  due_at timestamptz not null,
  -- Times it was handed to a handler.
  attempts integer not null default 0,
  -- Set while it runs; a value per claim, so that a worker whose lease ran out cannot finish the job of its successor.
  claim uuid,
  -- The node that runs it, for people who look.
  node text,
  -- Set once it failed for the last time.
  parked_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  check (claim is null or parked_at is null)
);

-- One index per state: each search touches only rows of its state, however many there are of the others.
create index job_waiting on job (queue, due_at, id) where claim is null and parked_at is null;
create index job_running on job (queue, due_at) where claim is not null;
create index job_parked on job (queue, parked_at) where parked_at is not null;
create unique index job_key on job (queue, key) where key is not null and parked_at is null;

-- Every job is updated once or twice and deleted: vacuum early, or dead entries slow down the search for due ones.
alter table job set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
