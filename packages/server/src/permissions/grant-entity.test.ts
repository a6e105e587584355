import { grantEntityPermissions as endpoint, grantPersonPermissions } from '@kwit/contract/permission-endpoints';
import { queryEntityGrants, queryPersonalGrants, queryPersonGrants } from '@kwit/contract/permission-query-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import { bodies, createWorld, nip, type PermissionsWorld, pesel, refusalOf } from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

/** A gives B to read, with the right to delegate, and to write. */
async function officeOfB() {
  const [a, b] = [await world.login(nip(world.newNip())), nip(world.newNip())];
  const body = bodies.entity(b.value, { type: 'InvoiceRead', canDelegate: true }, 'InvoiceWrite');
  expect(await world.op(endpoint, a, { body })).toBe(200);
  return { a, b };
}

describe('granting an entity', () => {
  it('lets whoever is that entity in, and says which may be handed on', async () => {
    const { a, b } = await officeOfB();
    const caller = await world.login(b, a.context);
    expect(caller.permissions).toEqual(['InvoiceWrite', 'InvoiceRead']);
    const { permissions } = await world.call(queryPersonalGrants, caller);
    expect(permissions.map((p) => [p.permissionScope, p.canDelegate]).toSorted()).toEqual([
      ['InvoiceRead', true],
      ['InvoiceWrite', false],
    ]);
    for (const record of permissions) {
      expect(record).toMatchObject({
        contextIdentifier: a.context,
        permissionState: 'Active',
        subjectEntityDetails: { subjectDetailsType: 'EntityByIdentifier', fullName: 'Office Ltd.' },
      });
      expect(record).not.toHaveProperty('authorizedIdentifier');
      expect(record).not.toHaveProperty('subjectPersonDetails');
    }
  });

  it('shows the receiver what it was given', async () => {
    const { a, b } = await officeOfB();
    const caller = await world.login(b);
    expect((await world.call(queryPersonalGrants, caller)).permissions.map((p) => p.contextIdentifier)).toEqual([
      a.context,
      a.context,
    ]);
    const received = await world.call(queryEntityGrants, caller);
    expect(received.permissions).toHaveLength(2);
    expect(Object.keys(received.permissions[0]!).toSorted()).toEqual(
      ['id', 'contextIdentifier', 'permissionScope', 'description', 'startDate', 'canDelegate'].toSorted(),
    );
    const filtered = (value: string) =>
      world.call(queryEntityGrants, caller, { body: { contextIdentifier: nip(value) } });
    expect((await filtered(a.context.value)).permissions).toHaveLength(2);
    expect((await filtered(world.newNip())).permissions).toEqual([]);
    // The giver lists them too, but not as received.
    expect((await world.call(queryEntityGrants, a)).permissions).toEqual([]);
  });

  it('gives the employees of the entity nothing', async () => {
    const { a, b } = await officeOfB();
    const employee = pesel(world.newPesel());
    await world.op(grantPersonPermissions, await world.login(b), { body: bodies.person(employee, 'InvoiceRead') });
    expect(await world.per(employee, b)).toEqual(['InvoiceRead']);
    expect(await world.per(employee, a.context)).toBeUndefined();
    // Nor do they see in B what clients gave to B.
    const { permissions } = await world.call(queryPersonalGrants, await world.login(employee, b));
    expect(permissions.map((p) => p.contextIdentifier)).toEqual([b]);
  });

  it('to a NIP only, of the two invoice permissions, each once, and not to itself', async () => {
    const a = await world.login(nip(world.newNip()));
    const refused = async (body: object) => (await refusalOf(world.call(endpoint, a, { body }))).code;
    const right = bodies.entity(world.newNip(), 'InvoiceRead');
    expect(await refused({ ...right, subjectIdentifier: pesel(world.newPesel()) })).toBe(21405);
    expect(await refused(bodies.entity(world.newNip(), 'CredentialsManage'))).toBe(21405);
    expect(
      await refused(bodies.entity(world.newNip(), 'InvoiceRead', { type: 'InvoiceRead', canDelegate: true })),
    ).toBe(21405);
    expect(await world.op(endpoint, a, { body: bodies.entity(a.context.value, 'InvoiceRead') })).toBe(440);
  });

  it('replaces the record when only the right to delegate differs', async () => {
    const [a, b] = [await world.login(nip(world.newNip())), world.newNip()];
    const list = async () =>
      (await world.call(queryPersonGrants, a, { body: { queryType: 'PermissionsInCurrentContext' } })).permissions;
    await world.op(endpoint, a, { body: bodies.entity(b, 'InvoiceRead') });
    const [first] = await list();
    await world.op(endpoint, a, { body: bodies.entity(b, 'InvoiceRead') });
    expect(await list()).toEqual([first]);
    await world.op(endpoint, a, { body: bodies.entity(b, { type: 'InvoiceRead', canDelegate: true }) });
    const records = await list();
    expect(records.map((r) => r.canDelegate)).toEqual([true]);
    expect(records[0]?.id).not.toBe(first?.id);
  });
});
