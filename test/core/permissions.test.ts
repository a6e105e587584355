import { fingerprintCertificate, peppolCertificate } from '@kwit/client';
import { describe, expect, test } from 'vitest';
import {
  byIdentifier,
  client,
  failure,
  grantPerson,
  inNip,
  newCompany,
  newEmployee,
  newInternalId,
  newNip,
  newNipVatUe,
  newPeppolId,
  newPesel,
  personOf,
  refusal,
  sealOf,
} from '../support/parties.ts';

const description = 'Acceptance test';
const byFingerprint = {
  subjectDetailsType: 'PersonByFingerprintWithoutIdentifier' as const,
  personByFpNoId: {
    firstName: 'Erika',
    lastName: 'Mustermann',
    birthDate: '1990-01-01',
    idDocument: { type: 'Passport', number: 'C01X00T47', country: 'DE' },
  },
};

describe('granting', () => {
  test('to a person: it logs in, is listed on both sides, and is out after the revocation', async () => {
    const company = await newCompany();
    const employee = await newEmployee(company, ['InvoiceRead', 'InvoiceWrite']);
    const own = await employee.login.permissions.personalGrants().toArray();
    expect(own.map((grant) => grant.permissionScope).sort()).toEqual(['InvoiceRead', 'InvoiceWrite']);
    const granted = await company.login.permissions
      .personGrants({ queryType: 'PermissionsGrantedInCurrentContext' })
      .toArray();
    expect(granted).toHaveLength(2);
    expect(granted[0]).toMatchObject({
      authorizedIdentifier: { type: 'Pesel', value: employee.pesel },
      authorIdentifier: { type: 'Nip', value: company.nip },
      permissionState: 'Active',
      subjectPersonDetails: { firstName: 'Anna', lastName: 'Nowak' },
    });
    for (const { id } of granted) {
      await company.login.permissions.waitFor(await company.login.permissions.revoke(id));
    }
    const again = client.auth.loginBySignature(personOf(employee.pesel), inNip(company.nip));
    expect(await failure(again)).toMatchObject({ code: 415 });
  });

  test('to an entity, and from there on to a person', async () => {
    const [client1, office] = [await newCompany(), await newCompany()];
    const { permissions } = client1.login;
    await permissions.waitFor(
      await permissions.grantEntity({
        subjectIdentifier: { type: 'Nip', value: office.nip },
        permissions: [{ type: 'InvoiceRead', canDelegate: true }],
        description,
        subjectDetails: { fullName: 'Accounting office' },
      }),
    );
    const received = await office.login.permissions.entityGrants().toArray();
    expect(received).toMatchObject([
      { contextIdentifier: inNip(client1.nip), permissionScope: 'InvoiceRead', canDelegate: true },
    ]);
    // The office itself acts for its client.
    await client.auth.loginBySignature(sealOf(office.nip), inNip(client1.nip));
    const clerk = newPesel();
    await office.login.permissions.waitFor(
      await office.login.permissions.grantIndirect({
        subjectIdentifier: { type: 'Pesel', value: clerk },
        targetIdentifier: { type: 'Nip', value: client1.nip },
        permissions: ['InvoiceRead'],
        description,
        subjectDetails: byIdentifier,
      }),
    );
    const login = await client.auth.loginBySignature(personOf(clerk), inNip(client1.nip));
    expect(await refusal(login.sessions.openOnline())).toMatchObject({
      reasonCode: 'missing-permissions',
      security: { presentPermissions: ['InvoiceRead'] },
    });
    // Without the first link the chain is broken.
    const [link] = await permissions.personGrants({ queryType: 'PermissionsGrantedInCurrentContext' }).toArray();
    await permissions.waitFor(await permissions.revoke(link!.id));
    const broken = client.auth.loginBySignature(personOf(clerk), inNip(client1.nip));
    expect(await failure(broken)).toMatchObject({ code: 415 });
  });

  test('of authorizations between entities', async () => {
    const [seller, buyer] = [await newCompany(), await newCompany()];
    const { permissions } = seller.login;
    await permissions.waitFor(
      await permissions.grantAuthorization({
        subjectIdentifier: { type: 'Nip', value: buyer.nip },
        permission: 'SelfInvoicing',
        description,
        subjectDetails: { fullName: 'The buyer' },
      }),
    );
    const [given] = await permissions.authorizationGrants({ queryType: 'Granted' }).toArray();
    const [taken] = await buyer.login.permissions.authorizationGrants({ queryType: 'Received' }).toArray();
    expect(given).toMatchObject({ authorizationScope: 'SelfInvoicing', authorizedEntityIdentifier: inNip(buyer.nip) });
    expect(taken?.id).toBe(given?.id);
    await permissions.waitFor(await permissions.revokeAuthorization(given!.id));
    expect(await permissions.authorizationGrants({ queryType: 'Granted' }).toArray()).toEqual([]);

    const peppolId = newPeppolId();
    await client.auth.loginBySignature(peppolCertificate({ name: 'Provider', peppolId }), {
      type: 'PeppolId',
      value: peppolId,
    });
    await permissions.waitFor(
      await permissions.grantAuthorization({
        subjectIdentifier: { type: 'PeppolId', value: peppolId },
        permission: 'PefInvoicing',
        description,
        subjectDetails: { fullName: 'A provider' },
      }),
    );
  });

  test('of the administration of a unit', async () => {
    const company = await newCompany();
    const unit = { type: 'InternalId' as const, value: newInternalId(company.nip) };
    const pesel = newPesel();
    const grant = {
      subjectIdentifier: { type: 'Pesel' as const, value: pesel },
      contextIdentifier: unit,
      description,
      subunitName: 'Branch in Gdynia',
      subjectDetails: byIdentifier,
    };
    await company.login.permissions.waitFor(await company.login.permissions.grantSubunit(grant));
    expect(await company.login.permissions.subunitGrants().toArray()).toMatchObject([
      { subunitIdentifier: unit, subunitName: 'Branch in Gdynia', permissionScope: 'CredentialsManage' },
    ]);
    const administrator = await client.auth.loginBySignature(personOf(pesel), unit);
    const clerk = newPesel();
    await grantPerson({ nip: company.nip, login: administrator }, { type: 'Pesel', value: clerk }, ['InvoiceWrite']);
    const login = await client.auth.loginBySignature(personOf(clerk), unit);
    await login.sessions.openOnline();
    const foreign = { ...grant, contextIdentifier: { ...unit, value: newInternalId(newNip()) } };
    const { permissions } = company.login;
    expect(await failure(permissions.waitFor(await permissions.grantSubunit(foreign)))).toMatchObject({ code: 410 });
  });

  test('in a VAT group, to the administrator of a member', async () => {
    const [group, member] = [newNip(), newNip()];
    await client.testData.createSubject({
      subjectNip: group,
      subjectType: 'VatGroup',
      description: 'A VAT group',
      subunits: [{ subjectNip: member, description: 'A member' }],
    });
    const { login } = await newCompany(group);
    expect(await login.permissions.entityRoles().toArray()).toMatchObject([{ role: 'VatGroupUnit' }]);
    expect(await login.permissions.subordinateEntityRoles().toArray()).toMatchObject([
      { subordinateEntityIdentifier: inNip(member), role: 'VatGroupSubUnit' },
    ]);
    const pesel = newPesel();
    await login.permissions.waitFor(
      await login.permissions.grantSubunit({
        subjectIdentifier: { type: 'Pesel', value: pesel },
        contextIdentifier: { type: 'Nip', value: member },
        description,
        subjectDetails: byIdentifier,
      }),
    );
    await client.auth.loginBySignature(personOf(pesel), inNip(member));
    await client.testData.removeSubject(group);
  });

  test('to administrators and representatives of an EU entity', async () => {
    const company = await newCompany();
    const context = { type: 'NipVatUe' as const, value: newNipVatUe(company.nip) };
    const administrator = fingerprintCertificate({ givenName: 'Erika', surname: 'Mustermann' });
    await company.login.permissions.waitFor(
      await company.login.permissions.grantEuAdministration({
        subjectIdentifier: { type: 'Fingerprint', value: administrator.fingerprint },
        contextIdentifier: context,
        description,
        euEntityName: 'Muster GmbH, Berlin',
        subjectDetails: byFingerprint,
        euEntityDetails: { fullName: 'Muster GmbH', address: 'Hauptstr. 1, Berlin' },
      }),
    );
    expect(await company.login.permissions.euEntityGrants().toArray()).toHaveLength(4);
    const login = await client.auth.loginBySignature(administrator, context, { by: 'certificateFingerprint' });
    const representative = fingerprintCertificate({ givenName: 'Max', surname: 'Mustermann' });
    await login.permissions.waitFor(
      await login.permissions.grantEuRepresentation({
        subjectIdentifier: { type: 'Fingerprint', value: representative.fingerprint },
        permissions: ['InvoiceWrite'],
        description,
        subjectDetails: byFingerprint,
      }),
    );
    const second = await client.auth.loginBySignature(representative, context, { by: 'certificateFingerprint' });
    await second.sessions.openOnline();
  });
});

describe('refusals', () => {
  test('a token without the right asks in vain', async () => {
    const company = await newCompany();
    const { login } = await newEmployee(company, ['InvoiceRead']);
    const grant = grantPerson({ nip: company.nip, login }, { type: 'Pesel', value: newPesel() }, ['InvoiceRead']);
    expect(await refusal(grant)).toMatchObject({
      status: 403,
      reasonCode: 'missing-permissions',
      security: { requiredAnyOfPermissions: ['CredentialsManage'], presentPermissions: ['InvoiceRead'] },
    });
  });

  test('what cannot be granted ends with its status', async () => {
    const company = await newCompany();
    const grant = (subject: string, permission: 'InvoiceRead' | 'EnforcementOperations') =>
      grantPerson(company, { type: 'Nip', value: subject }, [permission]);
    expect(await failure(grant(newNip(), 'EnforcementOperations'))).toMatchObject({ code: 430 });
    expect(await failure(grant(company.nip, 'InvoiceRead'))).toMatchObject({ code: 440 });
    const { permissions } = company.login;
    const unknown = await permissions.revoke('0c9a72e8-f344-457f-9c16-7c640eb60242');
    expect(await failure(permissions.waitFor(unknown))).toMatchObject({ code: 400 });
    expect((await refusal(permissions.revoke('no-id'))).code).toBe(21405);
    const other = await newCompany();
    expect(await refusal(other.login.permissions.operation(unknown))).toMatchObject({
      reasonCode: 'insufficient-resource-access',
    });
  });
});

test('permissions and consents given as test data', async () => {
  const [nip, pesel] = [newNip(), newPesel()];
  const grant = {
    contextIdentifier: { type: 'Nip' as const, value: nip },
    authorizedIdentifier: { type: 'Pesel' as const, value: pesel },
  };
  await client.testData.grantPermissions({
    ...grant,
    permissions: [{ permissionType: 'CredentialsRead', description: 'On paper' }],
  });
  const login = await client.auth.loginBySignature(personOf(pesel), inNip(nip));
  expect(await login.permissions.attachmentStatus()).toEqual({ isAttachmentAllowed: false });
  await client.testData.allowAttachments(nip);
  expect(await login.permissions.attachmentStatus()).toEqual({ isAttachmentAllowed: true });
  await client.testData.revokePermissions(grant);
  expect(await failure(client.auth.loginBySignature(personOf(pesel), inNip(nip)))).toMatchObject({ code: 415 });
});
