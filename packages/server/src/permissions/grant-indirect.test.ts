import {
  grantIndirectPermissions as endpoint,
  grantEntityPermissions,
  revokePermission,
} from '@kwit/contract/permission-endpoints';
import { queryPersonalGrants, queryPersonGrants } from '@kwit/contract/permission-query-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../platform/caller.ts';
import { bodies, createWorld, nip, type PermissionsWorld, pesel, refusalOf } from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const owner = () => world.login(nip(world.newNip()));
const delegable = (type: string) => ({ type, canDelegate: true });
const gives = (client: Caller, office: Caller, ...permissions: Parameters<typeof bodies.entity>[1][]) =>
  world.op(grantEntityPermissions, client, { body: bodies.entity(office.context.value, ...permissions) });
const list = async (caller: Caller, body: object = {}) =>
  (await world.call(queryPersonGrants, caller, { body: { queryType: 'PermissionsGrantedInCurrentContext', ...body } }))
    .permissions;

describe('handing on', () => {
  it('waits for the client, and follows it', async () => {
    const [a, b, w] = [await owner(), await owner(), pesel(world.newPesel())];
    expect(await world.op(endpoint, b, { body: bodies.indirect(w, a.context, 'InvoiceWrite') })).toBe(200);
    expect(await list(b)).toMatchObject([
      { permissionState: 'Inactive', targetIdentifier: a.context, canDelegate: false },
    ]);
    expect(await world.per(w, a.context)).toBeUndefined();
    const count = async (permissionState?: string) => (await list(b, { permissionState })).length;
    expect([await count('Inactive'), await count('Active'), await count()]).toEqual([1, 0, 1]);

    expect(await gives(a, b, delegable('InvoiceWrite'))).toBe(200);
    expect(await list(b)).toMatchObject([{ permissionState: 'Active' }]);
    expect([await count('Inactive'), await count('Active'), await count()]).toEqual([0, 1, 1]);
    expect(await world.per(w, a.context)).toEqual(['InvoiceWrite']);

    const [given] = await list(a);
    expect(await world.op(revokePermission, a, { params: { permissionId: given!.id } })).toBe(200);
    expect(await list(b)).toMatchObject([{ permissionState: 'Inactive' }]);
    expect(await world.per(w, a.context)).toBeUndefined();
  });

  it('is not possible with what was given without delegation', async () => {
    const [a, b, w] = [await owner(), await owner(), pesel(world.newPesel())];
    await gives(a, b, 'InvoiceRead', delegable('InvoiceWrite'));
    await world.op(endpoint, b, { body: bodies.indirect(w, a.context, 'InvoiceRead') });
    expect(await list(b)).toMatchObject([{ permissionState: 'Inactive' }]);
    expect(await world.per(w, a.context)).toBeUndefined();
  });

  it.each([
    ['AllPartners', { type: 'AllPartners' }],
    ['AllPartners with an empty value', { type: 'AllPartners', value: '' }],
    ['null', null],
    ['nothing', undefined],
  ])('reaches every client when the target is %s', async (_, target) => {
    const [a, k, b, w] = [await owner(), await owner(), await owner(), pesel(world.newPesel())];
    for (const client of [a, k]) await gives(client, b, delegable('InvoiceRead'), delegable('InvoiceWrite'));
    expect(await world.op(endpoint, b, { body: bodies.indirect(w, target, 'InvoiceRead') })).toBe(200);
    expect(await world.per(w, a.context)).toEqual(['InvoiceRead']);
    expect(await world.per(w, k.context)).toEqual(['InvoiceRead']);
    expect(await world.per(w, b.context)).toBeUndefined();
    const [record] = await list(b);
    expect(record).toMatchObject({ permissionState: 'Active', targetIdentifier: { type: 'AllPartners' } });
    expect(record?.targetIdentifier).not.toHaveProperty('value');

    const inA = await list(a, { queryType: 'PermissionsInCurrentContext' });
    expect(inA.map((r) => r.authorizedIdentifier)).toEqual([b.context, b.context]);
    const mine = await world.call(queryPersonalGrants, await world.login(w, a.context));
    expect(mine.permissions).toMatchObject([{ targetIdentifier: { type: 'AllPartners' }, permissionState: 'Active' }]);
    expect(mine.permissions[0]).not.toHaveProperty('contextIdentifier');
  });

  it('reaches one client when it is the target', async () => {
    const [a, k, b, w] = [await owner(), await owner(), await owner(), pesel(world.newPesel())];
    for (const client of [a, k]) await gives(client, b, delegable('InvoiceRead'));
    await world.op(endpoint, b, { body: bodies.indirect(w, a.context, 'InvoiceRead') });
    expect(await world.per(w, a.context)).toEqual(['InvoiceRead']);
    expect(await world.per(w, k.context)).toBeUndefined();
  });

  it('refuses a value for all partners, targets that are no context, and permissions that cannot be handed on', async () => {
    const [b, w] = [await owner(), pesel(world.newPesel())];
    const refused = async (body: object) => (await refusalOf(world.call(endpoint, b, { body }))).details;
    expect(await refused(bodies.indirect(w, { type: 'AllPartners', value: '5265877635' }, 'InvoiceRead'))).toEqual([
      "'targetIdentifier.value' must be empty for the type AllPartners. You entered 5265877635.",
    ]);
    expect(await refused(bodies.indirect(w, pesel(world.newPesel()), 'InvoiceRead'))).toHaveLength(1);
    expect(await refused(bodies.indirect(w, { type: 'Nip' }, 'InvoiceRead'))).toEqual([
      "'targetIdentifier.value' must not be empty.",
    ]);
    expect(await refused(bodies.indirect(w, null, 'CredentialsManage'))).toHaveLength(1);
  });

  it('refuses the intermediary itself as target', async () => {
    const b = await owner();
    expect(
      await world.op(endpoint, b, { body: bodies.indirect(pesel(world.newPesel()), b.context, 'InvoiceRead') }),
    ).toBe(410);
  });

  it('is found by the filters for targets and contexts', async () => {
    const [a, b] = [await owner(), await owner()];
    const [one, two] = [pesel(world.newPesel()), pesel(world.newPesel())];
    await world.op(endpoint, b, { body: bodies.indirect(one, null, 'InvoiceRead') });
    await world.op(endpoint, b, { body: bodies.indirect(two, a.context, 'InvoiceRead') });
    const found = async (body: object) => (await list(b, body)).map((r) => r.authorizedIdentifier.value);
    expect(await found({ targetIdentifier: { type: 'AllPartners' } })).toEqual([one.value]);
    expect(await found({ targetIdentifier: a.context })).toEqual([two.value]);
    expect(await found({ contextIdentifier: a.context })).toEqual([two.value]);
    expect(await found({ contextIdentifier: b.context })).toEqual([]);
  });
});
