import {
  grantAuthorization as endpoint,
  queryPeppolProviders,
  revokeAuthorization,
  revokePermission,
} from '@kwit/contract/permission-endpoints';
import { queryAuthorizationGrants } from '@kwit/contract/permission-query-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../platform/caller.ts';
import { sql } from '../platform/db/sql.ts';
import { bodies, createWorld, nip, type PermissionsWorld, peppol, refusalOf } from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const owner = () => world.login(nip(world.newNip()));
const list = async (caller: Caller, queryType: string, body: object = {}) =>
  (await world.call(queryAuthorizationGrants, caller, { body: { queryType, ...body } })).authorizationGrants;

/** As its first login does. */
async function registeredProvider() {
  const id = world.newPeppol();
  await world.database.execute(
    sql`insert into peppol_provider (id, name, created_at) values (${id}, 'Provider', ${new Date(world.clock.now())})`,
  );
  return peppol(id);
}

describe('authorizations between entities', () => {
  it('reach a registered Peppol provider', async () => {
    const [a, provider] = [await owner(), await registeredProvider()];
    expect(await world.op(endpoint, a, { body: bodies.authorization(provider, 'PefInvoicing') })).toBe(200);
    const received = await list(await world.login(provider), 'Received');
    expect(received).toMatchObject([{ authorizedEntityIdentifier: provider, authorizationScope: 'PefInvoicing' }]);
  });

  it('go to the right kind of entity', async () => {
    const a = await owner();
    const outcome = (to: ReturnType<typeof nip> | ReturnType<typeof peppol>, what: string) =>
      world.op(endpoint, a, { body: bodies.authorization(to, what) });
    expect(await outcome(nip(world.newNip()), 'PefInvoicing')).toBe(450);
    expect(await outcome(await registeredProvider(), 'SelfInvoicing')).toBe(450);
    expect(await outcome(peppol(world.newPeppol()), 'PefInvoicing')).toBe(450);
    expect(await outcome(nip(a.context.value), 'SelfInvoicing')).toBe(440);
    expect(await list(a, 'Granted')).toEqual([]);
  });

  it('are listed for both sides, and tell only the giver who signed', async () => {
    const [a, b] = [await owner(), await owner()];
    await world.op(endpoint, a, { body: bodies.authorization(nip(b.context.value), 'SelfInvoicing') });
    const [granted] = await list(a, 'Granted');
    expect(granted).toEqual({
      id: expect.any(String),
      authorIdentifier: a.subject,
      authorizedEntityIdentifier: b.context,
      authorizingEntityIdentifier: a.context,
      authorizationScope: 'SelfInvoicing',
      description: 'they bill for us',
      subjectEntityDetails: { subjectDetailsType: 'EntityByIdentifier', fullName: 'Partner Ltd.' },
      startDate: expect.any(String),
    });
    const { authorIdentifier: _, ...shown } = granted!;
    expect(await list(b, 'Received')).toEqual([shown]);
    expect(await list(a, 'Received')).toEqual([]);
    const filter = {
      authorizingIdentifier: a.context,
      authorizedIdentifier: b.context,
      permissionTypes: ['SelfInvoicing'],
    };
    expect(await list(b, 'Received', filter)).toHaveLength(1);
    expect(await list(b, 'Received', { ...filter, permissionTypes: ['RRInvoicing'] })).toEqual([]);
    expect(await list(b, 'Received', { authorizingIdentifier: nip(world.newNip()) })).toEqual([]);
    // They give no login.
    expect(await world.per(nip(b.context.value), a.context)).toBeUndefined();
  });

  it('are asked for by kind of question, in any case', async () => {
    const a = await owner();
    expect((await refusalOf(world.call(queryAuthorizationGrants, a, { body: {} }))).details).toEqual([
      "'queryType' must not be empty.",
    ]);
    expect(await list(a, 'granted')).toEqual([]);
  });

  it('are revoked by their own endpoint and their own giver', async () => {
    const [a, b] = [await owner(), await owner()];
    await world.op(endpoint, a, { body: bodies.authorization(nip(b.context.value), 'RRInvoicing') });
    const params = { permissionId: (await list(a, 'Granted'))[0]!.id };
    expect(await world.op(revokePermission, a, { params })).toBe(400);
    expect(await world.op(revokeAuthorization, b, { params })).toBe(420);
    expect(
      await world.op(revokeAuthorization, a, { params: { permissionId: params.permissionId.toUpperCase() } }),
    ).toBe(200);
    expect(await list(b, 'Received')).toEqual([]);
    expect(await world.op(revokeAuthorization, a, { params })).toBe(400);
  });
});

describe('Peppol providers', () => {
  it('are public, newest first, a page at a time', async () => {
    const fresh = await createWorld();
    for (let i = 0; i < 12; i += 1) {
      const at = new Date(fresh.clock.now() + i * 1000);
      await fresh.database.execute(
        sql`insert into peppol_provider (id, name, created_at) values (${`PPL${100000 + i}`}, ${`Provider ${i}`}, ${at})`,
      );
    }
    const first = await fresh.call(queryPeppolProviders, undefined);
    expect(first.hasMore).toBe(true);
    expect(first.peppolProviders).toHaveLength(10);
    expect(first.peppolProviders[0]).toEqual({
      id: 'PPL100011',
      name: 'Provider 11',
      dateCreated: '2026-03-01T09:00:11.000+00:00',
    });
    const second = await fresh.call(queryPeppolProviders, undefined, { query: { pageOffset: '1' } });
    expect(second).toMatchObject({ hasMore: false, peppolProviders: [{ id: 'PPL100001' }, { id: 'PPL100000' }] });
  });
});
