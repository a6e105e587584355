-- The subject of the certificate that signed a login, attribute by attribute in its order: requests for certificates are compared
-- with it. Null when no certificate names the person (system token, trusted profile).
alter table auth_operation add column subject_name jsonb;
