-- Bounds of a metadata query are a memory for minutes: losing them in a crash costs a new computation, so they need no log. The number
-- of matches is counted once a query, not once a page.
alter table metadata_query set unlogged;
alter table metadata_query add column total integer not null default 0;

-- Ties of a date are ordered by the number; a third party's index holds it too, or every page would sort a whole day.
alter table invoice_third_party add column number text;
update invoice_third_party p set number = i.number from invoice i where i.id = p.invoice and p.stored_us is not null;

-- Each subject type by each date type. Beside dates that are not the storage date stands that one, so that a snapshot can be counted
-- without visiting the rows. Composite contexts: few of a seller's invoices go to one EU buyer, so the pair has indexes of its own.
drop index invoice_seller_invoicing, invoice_seller_issue, invoice_buyer_invoicing, invoice_buyer_issue, invoice_authorized,
  invoice_authorized_invoicing, invoice_authorized_issue, invoice_third_party_stored, invoice_third_party_invoicing,
  invoice_third_party_issue;
create index invoice_seller_invoicing on invoice (seller_nip, invoicing_at, number) include (stored_us)
  where stored_us is not null;
create index invoice_seller_issue on invoice (seller_nip, issue_date, number) include (stored_us)
  where stored_us is not null;
create index invoice_buyer_invoicing on invoice (buyer_nip, invoicing_at, number) include (stored_us)
  where stored_us is not null and buyer_nip is not null;
create index invoice_buyer_issue on invoice (buyer_nip, issue_date, number) include (stored_us)
  where stored_us is not null and buyer_nip is not null;
create index invoice_authorized_stored on invoice (authorized_nip, stored_us, number)
  where stored_us is not null and authorized_nip is not null;
create index invoice_authorized_invoicing on invoice (authorized_nip, invoicing_at, number) include (stored_us)
  where stored_us is not null and authorized_nip is not null;
create index invoice_authorized_issue on invoice (authorized_nip, issue_date, number) include (stored_us)
  where stored_us is not null and authorized_nip is not null;
create index invoice_vat_ue_stored on invoice (seller_nip, buyer_vat_ue, stored_us, number)
  where stored_us is not null and buyer_vat_ue is not null;
create index invoice_vat_ue_invoicing on invoice (seller_nip, buyer_vat_ue, invoicing_at, number) include (stored_us)
  where stored_us is not null and buyer_vat_ue is not null;
create index invoice_vat_ue_issue on invoice (seller_nip, buyer_vat_ue, issue_date, number) include (stored_us)
  where stored_us is not null and buyer_vat_ue is not null;
create index invoice_third_party_stored on invoice_third_party (party_type, party_value, stored_us, number)
  where stored_us is not null;
create index invoice_third_party_invoicing on invoice_third_party (party_type, party_value, invoicing_at, number) include (stored_us)
  where stored_us is not null;
create index invoice_third_party_issue on invoice_third_party (party_type, party_value, issue_date, number) include (stored_us)
  where stored_us is not null;
