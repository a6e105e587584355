import { grantPersonPermissions as endpoint, revokePermission } from '@kwit/contract/permission-endpoints';
import { queryPersonGrants } from '@kwit/contract/permission-query-endpoints';
import { createPerson, createSubject } from '@kwit/contract/testdata-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../platform/caller.ts';
import {
  bodies,
  createWorld,
  forbiddenOf,
  nip,
  type PermissionsWorld,
  pesel,
  print,
  refusalOf,
} from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const granted = async (caller: Caller) =>
  (await world.call(queryPersonGrants, caller, { body: { queryType: 'PermissionsGrantedInCurrentContext' } }))
    .permissions;

const owner = () => world.login(nip(world.newNip()));
const refused = async (caller: Caller, body: object) =>
  (await refusalOf(world.call(endpoint, caller, { body }))).details;

describe('granting a person', () => {
  it('makes one record per permission, once', async () => {
    const a = await owner();
    const body = bodies.person(pesel(world.newPesel()), 'InvoiceRead', 'Introspection');
    expect(await world.op(endpoint, a, { body })).toBe(200);
    const records = await granted(a);
    expect(records.map((r) => r.permissionScope).toSorted()).toEqual(['Introspection', 'InvoiceRead']);
    for (const record of records) {
      expect(record).toMatchObject({
        authorizedIdentifier: body.subjectIdentifier,
        authorIdentifier: a.subject,
        description: 'accounting',
        subjectPersonDetails: { subjectDetailsType: 'PersonByIdentifier', firstName: 'Maria', lastName: 'Lis' },
        permissionState: 'Active',
        canDelegate: false,
      });
      expect(record).not.toHaveProperty('contextIdentifier');
      expect(record).not.toHaveProperty('targetIdentifier');
    }
    expect(await world.op(endpoint, a, { body: { ...body, description: 'said twice' } })).toBe(200);
    expect(await granted(a)).toEqual(records);
  });

  it('by an administrator who holds less than he gives', async () => {
    const [a, w, k] = [await owner(), pesel(world.newPesel()), nip(world.newNip())];
    await world.op(endpoint, a, { body: bodies.person(w, 'CredentialsManage') });
    const administrator = await world.login(w, a.context);
    expect(await world.op(endpoint, administrator, { body: bodies.person(k, 'SubunitManage') })).toBe(200);
    expect(await world.per(k, a.context)).toEqual(['SubunitManage']);
  });

  it('not by who lacks CredentialsManage', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    await world.op(endpoint, a, { body: bodies.person(w, 'InvoiceRead') });
    const caller = await world.login(w, a.context);
    expect(await forbiddenOf(world.call(endpoint, caller, { body: {} }))).toEqual({
      reason: 'missing-permissions',
      security: { requiredAnyOfPermissions: ['CredentialsManage'], presentPermissions: ['InvoiceRead'] },
    });
  });

  it('420 when the administrator lost the right after the token was made', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    await world.op(endpoint, a, { body: bodies.person(w, 'CredentialsManage') });
    const administrator = await world.login(w, a.context);
    await world.op(revokePermission, a, { params: { permissionId: (await granted(a))[0]!.id } });
    expect(await world.op(endpoint, administrator, { body: bodies.person(nip(world.newNip()), 'InvoiceRead') })).toBe(
      420,
    );
    expect(await granted(a)).toEqual([]);
  });

  it('EnforcementOperations needs a role of the context, and fails as a whole', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    for (const asked of [['EnforcementOperations'], ['InvoiceRead', 'EnforcementOperations']]) {
      const { referenceNumber } = await world.call(endpoint, a, { body: bodies.person(w, ...asked) });
      const status = await world.statusOf(a, referenceNumber);
      expect(status).toEqual({
        code: 430,
        description: 'Kontekst identyfikatora nie odpowiada wymaganej roli lub uprawnieniom',
        details: [
          `EnforcementOperations needs a context with the role EnforcementAuthority or CourtBailiff; ${a.context.value} has none.`,
        ],
      });
    }
    expect(await granted(a)).toEqual([]);
    await world.call(createSubject, undefined, {
      body: { subjectNip: a.context.value, subjectType: 'EnforcementAuthority', description: 'tax office' },
    });
    expect(await world.op(endpoint, a, { body: bodies.person(w, 'EnforcementOperations') })).toBe(200);
    expect(await world.per(w, a.context)).toEqual(['EnforcementOperations']);
  });

  it('not to the owner, nor to the PESEL bound to it', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    expect(await world.op(endpoint, a, { body: bodies.person(nip(a.context.value), 'InvoiceRead') })).toBe(440);
    await world.call(createPerson, undefined, {
      body: { nip: a.context.value, pesel: w.value, isBailiff: false, description: 'a trader' },
    });
    expect(await world.op(endpoint, a, { body: bodies.person(w, 'InvoiceRead') })).toBe(440);
  });

  it('450 for a person who is deceased', async () => {
    const [a, k, w] = [await owner(), world.newNip(), world.newPesel()];
    await world.call(createPerson, undefined, {
      body: { nip: k, pesel: w, isBailiff: false, isDeceased: true, description: 'late trader' },
    });
    expect(await world.op(endpoint, a, { body: bodies.person(pesel(w), 'InvoiceRead') })).toBe(450);
  });

  it('description of 5 to 256 characters that are not all blank', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    const described = (description: string) => ({ ...bodies.person(w, 'InvoiceRead'), description });
    expect(await refused(a, described('1234'))).toEqual([
      "'description' must be between 5 and 256 characters. You entered 4 characters.",
    ]);
    expect(await refused(a, described('x'.repeat(257)))).toHaveLength(1);
    expect(await refused(a, described('      '))).toEqual(["'description' is not in the correct format."]);
    expect(await world.op(endpoint, a, { body: described('12345') })).toBe(200);
    expect(await world.op(endpoint, a, { body: described('x'.repeat(256)) })).toBe(200);
  });

  it('distinct permissions of the seven, at least one', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    expect(await refused(a, bodies.person(w))).toEqual(["'permissions' must not be empty."]);
    expect(await refused(a, bodies.person(w, 'InvoiceRead', 'InvoiceRead'))).toEqual([
      "'permissions' must contain each value at most once. You entered InvoiceRead more than once.",
    ]);
    expect(await refused(a, bodies.person(w, 'Owner'))).toHaveLength(1);
    expect(await refused(a, bodies.person(w, 'VatUeManage'))).toHaveLength(1);
  });

  it('values that fit the pattern of their type', async () => {
    const a = await owner();
    const format = ["'subjectIdentifier.value' is not in the correct format."];
    for (const subject of [pesel('44131401359'), nip('0123456789'), print('ab'.repeat(32)), pesel('4405140135')]) {
      expect(await refused(a, bodies.person(subject, 'InvoiceRead'))).toEqual(format);
    }
  });

  it('check digits of NIP and PESEL are left alone, except on PRD', async () => {
    const a = await owner();
    for (const subject of [nip('6651887777'), pesel('90091309123')]) {
      expect(await world.op(endpoint, a, { body: bodies.person(subject, 'InvoiceRead') })).toBe(200);
    }
    const strict = await createWorld({ verifyChecksums: true, database: world.database });
    const b = await strict.login(nip(strict.newNip()));
    for (const subject of [nip('6651887777'), pesel('90091309123')]) {
      const { details } = await refusalOf(strict.call(endpoint, b, { body: bodies.person(subject, 'InvoiceRead') }));
      expect(details).toEqual(["'subjectIdentifier.value' is not in the correct format."]);
    }
  });

  it('details of the person that the type asks for', async () => {
    const [a, right] = [await owner(), bodies.person(pesel(world.newPesel()), 'InvoiceRead')];
    const { subjectDetails: _, ...without } = right;
    expect(await refused(a, without)).toEqual(["'subjectDetails' must not be empty."]);
    expect(await refused(a, { ...right, subjectDetails: { subjectDetailsType: 'PersonByIdentifier' } })).toEqual([
      "'subjectDetails.personById' must not be empty.",
    ]);
    const short = { subjectDetailsType: 'PersonByIdentifier', personById: { firstName: 'M', lastName: 'Lis' } };
    expect(await refused(a, { ...right, subjectDetails: short })).toEqual([
      "'subjectDetails.personById.firstName' must be between 2 and 30 characters. You entered 1 characters.",
    ]);
    const otherType = { ...right, subjectIdentifier: print(world.newPrint()) };
    expect(await refused(a, otherType)).toEqual([
      "'subjectDetails.subjectDetailsType' must fit 'subjectIdentifier.type'. You entered PersonByIdentifier for an identifier of type Fingerprint.",
    ]);
  });

  it('a country of ISO 3166-1 and a real birthday for a person without identifier', async () => {
    const [a, right] = [await owner(), bodies.person(print(world.newPrint()), 'InvoiceRead')];
    const person = (right.subjectDetails as { personByFpNoId: { idDocument: object } }).personByFpNoId;
    const withDetails = (change: object) => ({
      ...right,
      subjectDetails: { ...right.subjectDetails, personByFpNoId: { ...person, ...change } },
    });
    for (const country of ['pl', 'POL', 'ZZ']) {
      expect(await refused(a, withDetails({ idDocument: { ...person.idDocument, country } }))).toHaveLength(1);
    }
    expect(await refused(a, withDetails({ birthDate: '1981-02-29' }))).toHaveLength(1);
    expect(await world.op(endpoint, a, { body: right })).toBe(200);
    expect((await granted(a))[0]?.subjectPersonDetails).toEqual({
      subjectDetailsType: 'PersonByFingerprintWithoutIdentifier',
      firstName: 'Jan',
      lastName: 'Kos',
      birthDate: '1980-02-29',
      idDocument: { type: 'passport', number: 'AB123', country: 'PL' },
    });
  });

  it('shows the identifier of a person named by fingerprint under its other name', async () => {
    const [a, right] = [await owner(), bodies.person(print(world.newPrint()), 'InvoiceRead')];
    const identifier = { type: 'Pesel', value: world.newPesel() };
    const named = (value: string) => ({
      ...right,
      subjectDetails: {
        subjectDetailsType: 'PersonByFingerprintWithIdentifier',
        personByFpWithId: { firstName: 'Anna', lastName: 'Bak', identifier: { ...identifier, value } },
      },
    });
    expect(await refused(a, named('44131401359'))).toEqual([
      "'subjectDetails.personByFpWithId.identifier.value' is not in the correct format.",
    ]);
    expect(await world.op(endpoint, a, { body: named(identifier.value) })).toBe(200);
    expect((await granted(a))[0]?.subjectPersonDetails).toMatchObject({ personIdentifier: identifier });
  });

  it('property names in any case, and properties nobody knows', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    const body = {
      SubjectIdentifier: { Type: 'pesel', Value: w.value },
      Permissions: ['invoiceread'],
      Description: 'from elsewhere',
      SubjectDetails: { SubjectDetailsType: 'personByIdentifier', PersonById: { FirstName: 'Maria', LastName: 'Lis' } },
      SomethingNew: 1,
    };
    expect(await world.op(endpoint, a, { body })).toBe(200);
    expect(await world.per(w, a.context)).toEqual(['InvoiceRead']);
  });

  it('tells every violation at once', async () => {
    const a = await owner();
    const body = {
      ...bodies.person(pesel('44131401359'), 'InvoiceRead', 'InvoiceRead'),
      subjectDetails: { subjectDetailsType: 'PersonByIdentifier' },
    };
    expect(await refused(a, body)).toHaveLength(3);
  });
});
