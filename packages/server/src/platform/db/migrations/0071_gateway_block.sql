-- Callers whom an operator shuts out: a context (by type and value) or addresses (type 'Address': one, a range or a network).
create table gateway_block (
  type text not null,
  value text not null,
  -- Told to the caller, so that whoever asks about it can be answered.
  incident uuid not null,
  reason text not null,
  blocked_at timestamptz not null,
  primary key (type, value)
);
