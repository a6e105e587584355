-- One row per single permission. Closed by end_date, never deleted.
--
-- kind              grantor (revokes it)   works in                           subject                  scope
-- Person            current context        the same Nip or InternalId         Nip, Pesel, Fingerprint  seven permissions
-- Entity            current context        the same Nip or InternalId         Nip                      InvoiceRead, InvoiceWrite
-- SubunitAdmin      parent Nip             InternalId or subordinate Nip      Nip, Pesel, Fingerprint  CredentialsManage
-- Indirect          intermediary Nip       Nip, InternalId, or AllPartners    Nip, Pesel, Fingerprint  InvoiceRead, InvoiceWrite
-- EuAdmin           Nip                    NipVatUe                           Fingerprint              four permissions
-- EuRepresentative  NipVatUe               the same NipVatUe                  Fingerprint              InvoiceRead, InvoiceWrite
-- Authorization     authorizing Nip        nowhere: judged per invoice        Nip, PeppolId            four authorizations
create table permission_grant (
  id uuid primary key,
  kind text not null check (
    kind in ('Person', 'Entity', 'SubunitAdmin', 'Indirect', 'EuAdmin', 'EuRepresentative', 'Authorization')
  ),
  scope text not null,
  grantor_type text not null,
  grantor_value text not null,
  -- AllPartners and None have the value ''.
  works_in_type text not null,
  works_in_value text not null,
  subject_type text not null,
  subject_value text not null,
  -- Entity grants only: the subject may hand the permission on by an Indirect grant.
  can_delegate boolean not null default false,
  -- System (a paper form, on TEST /testdata/permissions) has no value.
  author_type text not null,
  author_value text,
  description text not null,
  subject_details jsonb,
  subunit_name text,
  eu_entity_name text,
  eu_entity_details jsonb,
  operation text,
  start_date timestamptz not null,
  end_date timestamptz
);

-- The same permission is in force at most once: a repeated grant finds its first record.
-- Its first two columns answer what a subject holds in a place. They are expressions so that no other index can be taken for that
-- question: by plain columns the planner sometimes read everything the subject holds anywhere, or everybody in the place.
create unique index permission_grant_in_force on permission_grant
  ((subject_type || ' ' || subject_value), (works_in_type || ' ' || works_in_value), grantor_value, grantor_type, kind, scope)
  where end_date is null;
-- Lists, newest first.
create index permission_grant_by_grantor on permission_grant (grantor_value, grantor_type, start_date desc, id)
  where end_date is null;
create index permission_grant_by_place on permission_grant (works_in_value, works_in_type, start_date desc, id)
  where end_date is null;
create index permission_grant_by_subject on permission_grant (subject_value, subject_type, start_date desc, id)
  where end_date is null;
-- To whom a client lets its permissions be handed on, and whether an intermediary has any such client at all.
create index permission_grant_delegable on permission_grant (works_in_value, works_in_type, subject_value, scope)
  where end_date is null and kind = 'Entity' and can_delegate;
create index permission_grant_delegated_to on permission_grant (subject_value, scope)
  where end_date is null and kind = 'Entity' and can_delegate;
-- Whether a seller authorized the context that sends its invoice: asked for every such invoice.
create index permission_grant_authorization on permission_grant (grantor_value, subject_value)
  where end_date is null and kind = 'Authorization';
