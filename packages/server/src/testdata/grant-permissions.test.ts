import { grantEntityPermissions, grantPersonPermissions } from '@kwit/contract/permission-endpoints';
import { queryPersonGrants } from '@kwit/contract/permission-query-endpoints';
import { grantTestPermissions as endpoint, revokeTestPermissions } from '@kwit/contract/testdata-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import { bodies, createWorld, nip, type PermissionsWorld, pesel, refusalOf } from '../permissions/world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const permission = (permissionType: string) => ({ permissionType, description: 'by paper' });

describe('permissions by paper', () => {
  it('work at once, with types and names in any case and under both names', async () => {
    const [a, w] = [world.newNip(), world.newPesel()];
    const body = {
      contextIdentifier: { type: 'nip', value: a },
      authorizedIdentifier: { type: 'pesel', value: w },
      permissions: [permission('invoiceRead'), { permission: 'CredentialsManage', description: 'by paper' }],
    };
    expect(await world.call(endpoint, undefined, { body })).toBeUndefined();
    expect(await world.per(pesel(w), nip(a))).toEqual(['InvoiceRead', 'CredentialsManage']);
    await world.call(endpoint, undefined, { body });
    const { permissions } = await world.call(queryPersonGrants, await world.login(nip(a)), {
      body: { queryType: 'PermissionsInCurrentContext' },
    });
    expect(permissions).toHaveLength(2);
  });

  it('may go to the context itself and come twice in one request', async () => {
    const a = nip(world.newNip());
    const permissions = [permission('InvoiceRead'), permission('InvoiceRead')];
    await world.call(endpoint, undefined, { body: { contextIdentifier: a, authorizedIdentifier: a, permissions } });
    const list = await world.call(queryPersonGrants, await world.login(a), {
      body: { queryType: 'PermissionsInCurrentContext' },
    });
    expect(list.permissions).toHaveLength(1);
  });

  it('are refused without a permission, a note, or with identifiers that do not fit', async () => {
    const right = { contextIdentifier: nip(world.newNip()), authorizedIdentifier: pesel(world.newPesel()) };
    const refused = async (body: object) => (await refusalOf(world.call(endpoint, undefined, { body }))).details;
    expect(await refused({ ...right, permissions: [] })).toEqual(["'permissions' must not be empty."]);
    expect(await refused({ ...right, permissions: [{ description: 'by paper' }] })).toEqual([
      "'permissions[0].permissionType' must not be empty.",
    ]);
    expect(await refused({ ...right, permissions: [{ permissionType: 'InvoiceRead' }] })).toEqual([
      "'permissions[0].description' must not be empty.",
    ]);
    const permissions = [permission('InvoiceRead')];
    expect(await refused({ ...right, authorizedIdentifier: pesel('44131401359'), permissions })).toEqual([
      "'authorizedIdentifier.value' is not in the correct format.",
    ]);
    expect(await refused({ ...right, contextIdentifier: pesel(world.newPesel()), permissions })).not.toEqual([]);
  });

  it('are revoked together with all other person grants of the pair, and nothing else', async () => {
    const [a, b] = [await world.login(nip(world.newNip())), nip(world.newNip())];
    await world.call(endpoint, undefined, {
      body: { contextIdentifier: a.context, authorizedIdentifier: b, permissions: [permission('Introspection')] },
    });
    await world.op(grantPersonPermissions, a, { body: bodies.person(b, 'CredentialsRead') });
    await world.op(grantEntityPermissions, a, { body: bodies.entity(b.value, 'InvoiceRead') });
    const body = { contextIdentifier: a.context, authorizedIdentifier: b };
    await world.call(revokeTestPermissions, undefined, { body });
    expect(await world.per(b, a.context)).toEqual(['InvoiceRead']);
    await world.call(revokeTestPermissions, undefined, { body });
  });
});
