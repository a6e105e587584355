import { type Client, fingerprintCertificate, type Login, OperationFailed, peppolCertificate } from '@kwit/client';
import { randomInternalId } from '@kwit/contract/identifier-samples';
import { beforeAll, describe, expect, test } from 'vitest';
import { clientTo, nextNip, nextPesel, ownerOf, personOf } from './support/clients.ts';
import { startTestService, type TestService } from './support/service.ts';

let service: TestService;
let client: Client;
beforeAll(async () => {
  service = await startTestService();
  client = clientTo(service);
});

const person = {
  subjectDetailsType: 'PersonByIdentifier',
  personById: { firstName: 'Jan', lastName: 'Kowalski' },
} as const;
const entity = { fullName: 'Firma sp. z o.o.' };
const euPerson = {
  subjectDetailsType: 'PersonByFingerprintWithoutIdentifier',
  personByFpNoId: {
    firstName: 'Erika',
    lastName: 'Mustermann',
    birthDate: '1980-01-02',
    idDocument: { type: 'Passport', number: 'C01X00T47', country: 'DE' },
  },
} as const;

const owner = (nip: string) => ownerOf(service, client, nip);
const asPerson = (pesel: string, nip: string) =>
  client.auth.loginBySignature(personOf(service, pesel), { type: 'Nip', value: nip });
const permissionsIn = async (login: Login): Promise<string[]> => {
  const claims = JSON.parse(Buffer.from((await login.accessToken()).split('.')[1]!, 'base64url').toString());
  return JSON.parse(claims.per);
};

describe('permissions', () => {
  test('a person: granted, used, listed, revoked', async () => {
    const [nip, pesel] = [nextNip(), nextPesel()];
    const { permissions } = await owner(nip);
    const operation = await permissions.grantPerson({
      subjectIdentifier: { type: 'Pesel', value: pesel },
      permissions: ['InvoiceRead', 'CredentialsRead'],
      description: 'Accountant',
      subjectDetails: person,
    });
    expect(await permissions.waitFor(operation)).toMatchObject({ status: { code: 200 } });
    expect((await permissions.operation(operation)).status.code).toBe(200);

    const login = await asPerson(pesel, nip);
    expect((await permissionsIn(login)).sort()).toEqual(['CredentialsRead', 'InvoiceRead']);
    const own = await login.permissions.personalGrants().toArray();
    expect(own.map((grant) => grant.permissionScope).sort()).toEqual(['CredentialsRead', 'InvoiceRead']);
    const given = await permissions.personGrants({ queryType: 'PermissionsGrantedInCurrentContext' }).toArray();
    expect(given).toHaveLength(2);

    const reading = given.find((grant) => grant.permissionScope === 'InvoiceRead')!;
    await permissions.waitFor(await permissions.revoke(reading.id));
    expect(await permissionsIn(await asPerson(pesel, nip))).toEqual(['CredentialsRead']);
  });

  test('an entity with delegation hands on what it got', async () => {
    const [client1, office, clerk] = [nextNip(), nextNip(), nextPesel()];
    const { permissions } = await owner(client1);
    await permissions.waitFor(
      await permissions.grantEntity({
        subjectIdentifier: { type: 'Nip', value: office },
        permissions: [{ type: 'InvoiceWrite', canDelegate: true }],
        description: 'Accounting office',
        subjectDetails: entity,
      }),
    );
    const middle = await owner(office);
    expect(await middle.permissions.entityGrants().toArray()).toMatchObject([
      { contextIdentifier: { type: 'Nip', value: client1 }, permissionScope: 'InvoiceWrite', canDelegate: true },
    ]);
    await middle.permissions.waitFor(
      await middle.permissions.grantIndirect({
        subjectIdentifier: { type: 'Pesel', value: clerk },
        targetIdentifier: { type: 'Nip', value: client1 },
        permissions: ['InvoiceWrite'],
        description: 'Clerk of the office',
        subjectDetails: person,
      }),
    );
    expect(await permissionsIn(await asPerson(clerk, client1))).toEqual(['InvoiceWrite']);
  });

  test('authorizations between entities: granted, seen from both sides, revoked', async () => {
    const [seller, buyer] = [nextNip(), nextNip()];
    const { permissions } = await owner(seller);
    await permissions.waitFor(
      await permissions.grantAuthorization({
        subjectIdentifier: { type: 'Nip', value: buyer },
        permission: 'SelfInvoicing',
        description: 'Self-invoicing',
        subjectDetails: entity,
      }),
    );
    const other = await owner(buyer);
    const received = await other.permissions.authorizationGrants({ queryType: 'Received' }).toArray();
    expect(received).toMatchObject([
      { authorizingEntityIdentifier: { value: seller }, authorizationScope: 'SelfInvoicing' },
    ]);
    const [given] = await permissions.authorizationGrants({ queryType: 'Granted' }).toArray();
    expect(given?.id).toBe(received[0]?.id);
    await permissions.waitFor(await permissions.revokeAuthorization(given!.id));
    expect(await permissions.authorizationGrants({ queryType: 'Granted' }).toArray()).toEqual([]);
  });

  test('units and subordinate entities', async () => {
    const [nip, member, pesel] = [nextNip(), nextNip(), nextPesel()];
    await client.testData.createSubject({
      subjectNip: nip,
      subjectType: 'VatGroup',
      description: 'A VAT group',
      subunits: [{ subjectNip: member, description: 'Its member' }],
    });
    const { permissions } = await owner(nip);
    expect((await permissions.entityRoles().toArray()).map((r) => r.role)).toEqual(['VatGroupUnit']);
    expect(await permissions.subordinateEntityRoles().toArray()).toMatchObject([
      { subordinateEntityIdentifier: { value: member }, role: 'VatGroupSubUnit' },
    ]);
    const unit = randomInternalId(nip, (bound) => bound - 1);
    await permissions.waitFor(
      await permissions.grantSubunit({
        subjectIdentifier: { type: 'Pesel', value: pesel },
        contextIdentifier: { type: 'InternalId', value: unit },
        subunitName: 'Branch office',
        description: 'Head of the branch',
        subjectDetails: person,
      }),
    );
    expect(await permissions.subunitGrants().toArray()).toMatchObject([
      { subunitIdentifier: { type: 'InternalId', value: unit }, subunitName: 'Branch office' },
    ]);
    const head = await client.auth.loginBySignature(personOf(service, pesel), { type: 'InternalId', value: unit });
    expect(await permissionsIn(head)).toContain('CredentialsManage');
    await client.testData.removeSubject(nip);
    expect(await permissions.entityRoles().toArray()).toEqual([]);
  });

  test('an EU entity: administrator by fingerprint, who appoints a representative', async () => {
    const nip = nextNip();
    const validFrom = service.clock.now() - 3_600_000;
    const administrator = fingerprintCertificate({ givenName: 'Erika', surname: 'Mustermann' }, { validFrom });
    const representative = fingerprintCertificate({ givenName: 'Max', surname: 'Mustermann' }, { validFrom });
    const context = { type: 'NipVatUe', value: `${nip}-DE123456789` } as const;
    const { permissions } = await owner(nip);
    await permissions.waitFor(
      await permissions.grantEuAdministration({
        subjectIdentifier: { type: 'Fingerprint', value: administrator.fingerprint },
        contextIdentifier: context,
        description: 'Administrator',
        euEntityName: 'Muster GmbH',
        subjectDetails: euPerson,
        euEntityDetails: { fullName: 'Muster GmbH', address: 'Berlin' },
      }),
    );
    const login = await client.auth.loginBySignature(administrator, context, { by: 'certificateFingerprint' });
    await login.permissions.waitFor(
      await login.permissions.grantEuRepresentation({
        subjectIdentifier: { type: 'Fingerprint', value: representative.fingerprint },
        permissions: ['InvoiceRead'],
        description: 'Representative',
        subjectDetails: euPerson,
      }),
    );
    const listed = await login.permissions
      .euEntityGrants({ authorizedFingerprintIdentifier: representative.fingerprint })
      .toArray();
    expect(listed.map((grant) => grant.permissionScope)).toEqual(['InvoiceRead']);
    const second = await client.auth.loginBySignature(representative, context, { by: 'certificateFingerprint' });
    expect(await permissionsIn(second)).toEqual(['InvoiceRead']);
  });

  test('an operation that cannot be carried out throws with its status', async () => {
    const nip = nextNip();
    const { permissions } = await owner(nip);
    // To oneself: no grant can be made of that.
    const operation = await permissions.grantEntity({
      subjectIdentifier: { type: 'Nip', value: nip },
      permissions: [{ type: 'InvoiceRead' }],
      description: 'To oneself',
      subjectDetails: entity,
    });
    const error = await permissions.waitFor(operation).then(
      () => undefined,
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(OperationFailed);
    expect((error as OperationFailed).status.code).toBeGreaterThanOrEqual(400);
  });

  test('lists walk over their pages by number', async () => {
    const nip = nextNip();
    const { permissions } = await owner(nip);
    for (let at = 0; at < 12; at += 1) {
      await permissions.grantPerson({
        subjectIdentifier: { type: 'Pesel', value: nextPesel() },
        permissions: ['InvoiceRead'],
        description: `Person ${at}`,
        subjectDetails: person,
      });
    }
    await service.drain();
    const list = permissions.personGrants({ queryType: 'PermissionsInCurrentContext' }, { pageSize: 10 });
    const all = await list.toArray();
    expect(new Set(all.map((grant) => grant.description)).size).toBe(12);
    const second = await list.page({ pageOffset: 1 });
    expect([second.permissions.length, second.hasMore]).toEqual([2, false]);
    const sizes: number[] = [];
    for await (const page of list.pages()) sizes.push(page.permissions.length);
    expect(sizes).toEqual([10, 2]);
  });
});

describe('test data', () => {
  test('a sole trader: the PESEL owns the NIP, until removed or deceased', async () => {
    const [nip, pesel] = [nextNip(), nextPesel()];
    await client.testData.createPerson({ nip, pesel, isBailiff: true, description: 'A bailiff' });
    expect(await permissionsIn(await asPerson(pesel, nip))).toEqual(['Owner', 'EnforcementOperations']);
    await expect(
      client.testData.createPerson({ nip, pesel, isBailiff: true, description: 'A bailiff' }),
    ).rejects.toMatchObject({ code: 30001 });
    await client.testData.removePerson(nip);
    await expect(asPerson(pesel, nip)).rejects.toMatchObject({ status: { code: 415 } });
    await client.testData.createPerson({ nip, pesel, isBailiff: false, isDeceased: true, description: 'Dead now' });
    await expect(asPerson(pesel, nip)).rejects.toMatchObject({ status: { code: 470 } });
  });

  test('permissions by paper form', async () => {
    const [nip, pesel] = [nextNip(), nextPesel()];
    const parties = {
      contextIdentifier: { type: 'Nip', value: nip },
      authorizedIdentifier: { type: 'Pesel', value: pesel },
    } as const;
    const permissions = [{ permissionType: 'Introspection', description: 'By form' } as const];
    await client.testData.grantPermissions({ ...parties, permissions });
    expect(await permissionsIn(await asPerson(pesel, nip))).toEqual(['Introspection']);
    await client.testData.revokePermissions(parties);
    await expect(asPerson(pesel, nip)).rejects.toMatchObject({ status: { code: 415 } });
  });

  test('consent to attachments', async () => {
    const nip = nextNip();
    const { permissions } = await owner(nip);
    expect(await permissions.attachmentStatus()).toEqual({ isAttachmentAllowed: false });
    await client.testData.allowAttachments(nip);
    expect(await permissions.attachmentStatus()).toEqual({ isAttachmentAllowed: true });
    await client.testData.revokeAttachments(nip, '2027-01-31');
    expect(await permissions.attachmentStatus()).toMatchObject({
      isAttachmentAllowed: true,
      revokedDate: expect.stringMatching(/^2027-01-31T/),
    });
    await client.testData.revokeAttachments(nip);
    expect((await permissions.attachmentStatus()).isAttachmentAllowed).toBe(false);
  });

  test('a blocked context, named or the one that is logged in', async () => {
    const nip = nextNip();
    const login = await owner(nip);
    await login.testData.blockContext();
    await expect(owner(nip)).rejects.toMatchObject({ status: { code: 480 } });
    await client.testData.unblockContext({ type: 'Nip', value: nip });
    expect(await permissionsIn(await owner(nip))).toEqual(['Owner']);
  });

  test('Peppol providers register themselves at their first login', async () => {
    const validFrom = service.clock.now() - 3_600_000;
    const certificate = peppolCertificate({ name: 'Provider', peppolId: 'PPL424242' }, { validFrom });
    await client.auth.loginBySignature(certificate, { type: 'PeppolId', value: 'PPL424242' });
    const known = await client.peppolProviders().toArray();
    expect(known.map((provider) => provider.id)).toContain('PPL424242');
  });
});
