import { randomUUID } from 'node:crypto';
import {
  revokePermission as endpoint,
  grantPersonPermissions,
  revokeAuthorization,
} from '@kwit/contract/permission-endpoints';
import { queryPersonGrants } from '@kwit/contract/permission-query-endpoints';
import { grantTestPermissions } from '@kwit/contract/testdata-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../platform/caller.ts';
import { bodies, createWorld, nip, type PermissionsWorld, pesel, refusalOf } from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const owner = () => world.login(nip(world.newNip()));
const list = async (caller: Caller) =>
  (await world.call(queryPersonGrants, caller, { body: { queryType: 'PermissionsGrantedInCurrentContext' } }))
    .permissions;

async function granted(...permissions: string[]) {
  const [a, w] = [await owner(), pesel(world.newPesel())];
  await world.op(grantPersonPermissions, a, { body: bodies.person(w, ...permissions) });
  return { a, w, ids: (await list(a)).map((r) => r.id) };
}

describe('revoking', () => {
  it('is for the context that granted', async () => {
    const { a, ids } = await granted('InvoiceRead');
    expect(await world.op(endpoint, await owner(), { params: { permissionId: ids[0]! } })).toBe(420);
    expect(await list(a)).toHaveLength(1);
  });

  it('names a record that is in force', async () => {
    const { a, ids } = await granted('InvoiceRead');
    const malformed = refusalOf(world.call(endpoint, a, { params: { permissionId: 'abc' } }));
    expect((await malformed).code).toBe(21405);
    const { referenceNumber } = await world.call(endpoint, a, { params: { permissionId: randomUUID() } });
    expect(await world.statusOf(a, referenceNumber)).toMatchObject({
      code: 400,
      details: [expect.stringContaining('never existed')],
    });
    const params = { permissionId: ids[0]! };
    expect(await world.op(revokeAuthorization, a, { params })).toBe(400);
    expect(await world.op(endpoint, a, { params })).toBe(200);
    expect(await world.op(endpoint, a, { params })).toBe(400);
  });

  it('needs the permission that fits the record', async () => {
    const { a, w, ids } = await granted('SubunitManage');
    expect(await world.op(endpoint, await world.login(w, a.context), { params: { permissionId: ids[0]! } })).toBe(420);
    expect(await world.per(w, a.context)).toEqual(['SubunitManage']);
  });

  it('is open to whoever administers the context now, also for what the system granted', async () => {
    const { a, w } = await granted('CredentialsManage');
    const administrator = await world.login(w, a.context);
    const k = nip(world.newNip());
    await world.op(grantPersonPermissions, administrator, { body: bodies.person(k, 'InvoiceRead') });
    await world.call(grantTestPermissions, undefined, {
      body: {
        contextIdentifier: a.context,
        authorizedIdentifier: k,
        permissions: [{ permissionType: 'Introspection', description: 'by paper' }],
      },
    });
    const ofK = (await list(a)).filter((r) => r.authorizedIdentifier.value === k.value).map((r) => r.id);
    expect(ofK).toHaveLength(2);
    for (const permissionId of ofK) expect(await world.op(endpoint, a, { params: { permissionId } })).toBe(200);
    expect(await world.per(k, a.context)).toBeUndefined();
  });

  it('leaves what the revoked administrator granted, and lets the same be granted anew', async () => {
    const { a, w, ids } = await granted('CredentialsManage');
    const k = nip(world.newNip());
    await world.op(grantPersonPermissions, await world.login(w, a.context), { body: bodies.person(k, 'InvoiceRead') });
    await world.op(endpoint, a, { params: { permissionId: ids[0]! } });
    expect(await world.per(k, a.context)).toEqual(['InvoiceRead']);
    await world.op(grantPersonPermissions, a, { body: bodies.person(w, 'CredentialsManage') });
    const again = (await list(a)).find((r) => r.permissionScope === 'CredentialsManage');
    expect(again?.id).not.toBe(ids[0]);
  });
});
