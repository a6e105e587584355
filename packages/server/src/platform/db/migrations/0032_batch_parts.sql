-- Declared parts of a package, each with the upload that counts.
create table batch_part (
  session text not null references session (reference),
  ordinal integer not null,
  declared_size bigint not null,
  declared_hash bytea not null,
  -- The last complete upload; a later one takes its place.
  blob text,
  stored_size bigint,
  stored_hash bytea,
  primary key (session, ordinal)
);

-- Every blob that was or may have been written for a session, recorded before its first byte: what a dead process left is found here.
create table batch_upload (
  blob text primary key,
  session text not null references session (reference),
  -- Complete; an upload under way is left to its own request until the session is long over.
  finished boolean not null default false
);
create index batch_upload_of on batch_upload (session);
