import {
  grantSubunitAdministration as endpoint,
  grantAuthorization,
  grantEntityPermissions,
  grantEuAdministration,
  grantIndirectPermissions,
  grantPersonPermissions,
  revokePermission,
} from '@kwit/contract/permission-endpoints';
import {
  queryEntityRoles,
  queryPersonGrants,
  querySubordinateEntityRoles,
  querySubunitGrants,
} from '@kwit/contract/permission-query-endpoints';
import { createSubject, removeSubject } from '@kwit/contract/testdata-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  bodies,
  createWorld,
  forbiddenOf,
  nip,
  type PermissionsWorld,
  pesel,
  print,
  refusalOf,
  unit,
} from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const owner = () => world.login(nip(world.newNip()));

/** W administers a unit of A. */
async function unitOfA() {
  const [a, w] = [await owner(), pesel(world.newPesel())];
  const place = unit(world.newUnit(a.context.value));
  expect(await world.op(endpoint, a, { body: bodies.subunit(w, place) })).toBe(200);
  return { a, w, place };
}

/** A is a VAT group whose only member is B. */
async function vatGroup() {
  const [a, b] = [await owner(), nip(world.newNip())];
  await world.call(createSubject, undefined, {
    body: {
      subjectNip: a.context.value,
      subjectType: 'VatGroup',
      description: 'the group',
      subunits: [{ subjectNip: b.value, description: 'its member' }],
    },
  });
  return { a, b };
}

describe('units of an entity', () => {
  it('have an administrator, and the owner only if appointed', async () => {
    const { a, w, place } = await unitOfA();
    const administrator = await world.login(w, place);
    expect(administrator.permissions).toEqual(['CredentialsManage']);
    expect(await world.op(grantPersonPermissions, administrator, { body: bodies.person(w, 'InvoiceRead') })).toBe(200);
    expect(await world.per(w, place)).toEqual(['InvoiceRead', 'CredentialsManage']);
    expect(await world.per(nip(a.context.value), place)).toBeUndefined();
    expect(await world.op(endpoint, a, { body: bodies.subunit(nip(a.context.value), place) })).toBe(200);
    expect(await world.per(nip(a.context.value), place)).toEqual(['CredentialsManage']);
  });

  it('need a valid check digit and a name', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    const right = world.newUnit(a.context.value);
    const wrong = right.slice(0, 15) + ((Number(right[15]) + 1) % 10);
    const refused = async (body: object) => (await refusalOf(world.call(endpoint, a, { body }))).details;
    expect(await refused(bodies.subunit(w, unit(wrong)))).toEqual([
      "'contextIdentifier.value' is not in the correct format.",
    ]);
    const { subunitName: _, ...nameless } = bodies.subunit(w, unit(right)) as Record<string, unknown>;
    expect(await refused(nameless)).toEqual(["'subunitName' must not be empty."]);
    expect(await refused({ ...nameless, subunitName: 'unit' })).toHaveLength(1);
  });

  it('belong to the NIP they start with', async () => {
    const a = await owner();
    const body = bodies.subunit(pesel(world.newPesel()), unit(world.newUnit(world.newNip())));
    expect(await world.op(endpoint, a, { body })).toBe(410);
  });

  it('can let entities in, even their own, but cannot do what is for a NIP', async () => {
    const { a, w, place } = await unitOfA();
    const administrator = await world.login(w, place);
    expect(
      await world.op(grantEntityPermissions, administrator, { body: bodies.entity(a.context.value, 'InvoiceRead') }),
    ).toBe(200);
    expect(await world.per(nip(a.context.value), place)).toEqual(['InvoiceRead']);
    for (const closed of [endpoint, grantAuthorization, grantIndirectPermissions, grantEuAdministration]) {
      expect(await forbiddenOf(world.call(closed, administrator))).toEqual({
        reason: 'context-type-not-allowed',
        security: { contextIdentifierType: 'InternalId' },
      });
    }
    for (const misplaced of ['SubunitManage', 'EnforcementOperations']) {
      expect(await world.op(grantPersonPermissions, administrator, { body: bodies.person(w, misplaced) })).toBe(430);
    }
  });

  it('are for holders of SubunitManage', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    await world.op(grantPersonPermissions, a, { body: bodies.person(w, 'CredentialsManage') });
    const { security } = await forbiddenOf(world.call(endpoint, await world.login(w, a.context)));
    expect(security).toMatchObject({ requiredAnyOfPermissions: ['SubunitManage'] });
  });

  it('are listed and revoked by the parent', async () => {
    const { a, w, place } = await unitOfA();
    const { permissions } = await world.call(querySubunitGrants, a);
    expect(permissions).toHaveLength(1);
    expect(permissions[0]).toEqual({
      id: expect.any(String),
      authorizedIdentifier: w,
      subunitIdentifier: place,
      authorIdentifier: a.subject,
      permissionScope: 'CredentialsManage',
      description: 'administrator',
      subjectPersonDetails: { subjectDetailsType: 'PersonByIdentifier', firstName: 'Maria', lastName: 'Lis' },
      subunitName: 'Northern branch',
      startDate: expect.stringMatching(/^2026-03-01T09:00:\d\d\.\d{3}\+00:00$/),
    });
    const filtered = async (value: string) =>
      (await world.call(querySubunitGrants, a, { body: { subunitIdentifier: unit(value) } })).permissions.length;
    expect([await filtered(place.value), await filtered(world.newUnit(a.context.value))]).toEqual([1, 0]);
    expect((await world.call(querySubunitGrants, await world.login(w, place))).permissions).toEqual([]);

    // Inside the unit the appointment is a permission in the current context, and names the unit.
    const inside = await world.call(queryPersonGrants, await world.login(w, place), {
      body: { queryType: 'PermissionsInCurrentContext' },
    });
    expect(inside.permissions).toMatchObject([{ contextIdentifier: place, permissionScope: 'CredentialsManage' }]);

    expect(await world.op(revokePermission, a, { params: { permissionId: permissions[0]!.id } })).toBe(200);
    expect(await world.per(w, place)).toBeUndefined();
  });

  it('are open to certificates named by fingerprint', async () => {
    const [a, f] = [await owner(), print(world.newPrint())];
    const place = unit(world.newUnit(a.context.value));
    const body = { ...bodies.subunit(f, place), subjectDetails: bodies.person(f, 'InvoiceRead').subjectDetails };
    expect(await world.op(endpoint, a, { body })).toBe(200);
    expect(await world.per(f, place)).toEqual(['CredentialsManage']);
  });
});

describe('subordinate entities', () => {
  it('need a parent role', async () => {
    const body = bodies.subunit(pesel(world.newPesel()), nip(world.newNip()));
    expect(await world.op(endpoint, await owner(), { body })).toBe(430);
  });

  it('get an administrator from their parent, who has no power over others', async () => {
    const [{ a, b }, w] = [await vatGroup(), pesel(world.newPesel())];
    expect(await world.op(endpoint, a, { body: bodies.subunit(w, b) })).toBe(200);
    expect(await world.op(endpoint, a, { body: bodies.subunit(w, nip(world.newNip())) })).toBe(410);
    expect(await world.per(w, b)).toEqual(['CredentialsManage']);
    // Being the parent gives nothing in the child, nor the reverse.
    expect(await world.per(nip(a.context.value), b)).toBeUndefined();
    expect(await world.per(b, a.context)).toBeUndefined();
  });

  it('are listed as roles on both sides', async () => {
    const { a, b } = await vatGroup();
    const asB = await world.login(b);
    const children = async (body: object) => (await world.call(querySubordinateEntityRoles, a, { body })).roles;
    const child = { subordinateEntityIdentifier: b, role: 'VatGroupSubUnit', description: 'its member' };
    expect(await children({})).toMatchObject([child]);
    expect(await children({ subordinateEntityIdentifier: b })).toMatchObject([child]);
    expect(await children({ subordinateEntityIdentifier: nip(world.newNip()) })).toEqual([]);
    expect((await world.call(querySubordinateEntityRoles, asB)).roles).toEqual([]);
    const [ofA] = (await world.call(queryEntityRoles, a)).roles;
    expect(ofA).toMatchObject({ role: 'VatGroupUnit', description: 'the group' });
    expect(ofA).not.toHaveProperty('parentEntityIdentifier');
    expect((await world.call(queryEntityRoles, asB)).roles).toMatchObject([
      { role: 'VatGroupSubUnit', parentEntityIdentifier: nip(a.context.value) },
    ]);
  });

  it('end with their parent, and the appointed administrator with them', async () => {
    const [{ a, b }, w] = [await vatGroup(), pesel(world.newPesel())];
    await world.op(endpoint, a, { body: bodies.subunit(w, b) });
    await world.call(removeSubject, undefined, { body: { subjectNip: a.context.value } });
    expect((await world.call(queryEntityRoles, a)).roles).toEqual([]);
    expect((await world.call(queryEntityRoles, await world.login(b))).roles).toEqual([]);
    expect((await world.call(querySubordinateEntityRoles, a)).roles).toEqual([]);
    expect(await world.per(w, b)).toBeUndefined();
  });
});
