import { grantPersonPermissions, revokePermission } from '@kwit/contract/permission-endpoints';
import { queryEntityRoles, queryPersonalGrants } from '@kwit/contract/permission-query-endpoints';
import {
  blockContext,
  createPerson,
  grantTestPermissions,
  removePerson,
  unblockContext,
} from '@kwit/contract/testdata-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import { bodies, createWorld, nip, type PermissionsWorld, peppol, pesel, print } from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

describe('who is in a context', () => {
  it('the owner needs no record at all', async () => {
    const a = world.newNip();
    const caller = await world.login(nip(a));
    expect(caller.permissions).toEqual(['Owner']);
    expect(await world.call(queryPersonalGrants, caller)).toEqual({ permissions: [], hasMore: false });
  });

  it('a stranger gets nothing', async () => {
    expect(await world.per(pesel(world.newPesel()), nip(world.newNip()))).toBeUndefined();
  });

  it('a PESEL bound to the NIP is the owner', async () => {
    const [k, w] = [world.newNip(), world.newPesel()];
    await world.call(createPerson, undefined, {
      body: { nip: k, pesel: w, isBailiff: false, description: 'a trader' },
    });
    expect(await world.per(pesel(w), nip(k))).toEqual(['Owner']);
    expect(await world.permissions.linkedIdentifiers(pesel(w), world.clock.now(), world.database)).toEqual([
      pesel(w),
      nip(k),
    ]);
    expect(await world.permissions.linkedIdentifiers(nip(k), world.clock.now(), world.database)).toEqual([
      nip(k),
      pesel(w),
    ]);
  });

  it('a bailiff enforces, until the person is removed', async () => {
    const [k, w] = [world.newNip(), world.newPesel()];
    await world.call(createPerson, undefined, {
      body: { nip: k, pesel: w, isBailiff: true, description: 'a bailiff' },
    });
    const caller = await world.login(pesel(w), nip(k));
    expect(caller.permissions).toEqual(['Owner', 'EnforcementOperations']);
    const { roles } = await world.call(queryEntityRoles, caller);
    expect(roles).toMatchObject([{ role: 'CourtBailiff', description: 'a bailiff' }]);

    await world.call(removePerson, undefined, { body: { nip: k } });
    expect((await world.call(queryEntityRoles, caller)).roles).toEqual([]);
    expect(await world.per(pesel(w), nip(k))).toBeUndefined();
    expect(await world.per(nip(k))).toEqual(['Owner']);
  });

  it('the dead hold nothing', async () => {
    const [k, w] = [world.newNip(), world.newPesel()];
    const body = { nip: k, pesel: w, isBailiff: false, isDeceased: true, description: 'late trader' };
    await world.call(createPerson, undefined, { body });
    for (const subject of [nip(k), pesel(w)]) {
      expect(await world.permissions.isDeceased(subject, world.clock.now(), world.database)).toBe(true);
      expect(await world.per(subject, nip(k))).toBeUndefined();
    }
    expect(await world.permissions.isDeceased(nip(world.newNip()), world.clock.now(), world.database)).toBe(false);
  });

  it('a grant gives exactly itself, and a revoke counts at the next login', async () => {
    const [a, w] = [world.newNip(), world.newPesel()];
    const owner = await world.login(nip(a));
    expect(await world.op(grantPersonPermissions, owner, { body: bodies.person(pesel(w), 'InvoiceRead') })).toBe(200);
    const caller = await world.login(pesel(w), nip(a));
    expect(caller.permissions).toEqual(['InvoiceRead']);
    const { permissions } = await world.call(queryPersonalGrants, caller);
    expect(await world.op(revokePermission, owner, { params: { permissionId: permissions[0]!.id } })).toBe(200);
    expect(caller.permissions).toEqual(['InvoiceRead']);
    expect(await world.per(pesel(w), nip(a))).toBeUndefined();
  });

  it('a fingerprint is let in by grants and is never an owner', async () => {
    const [a, f] = [world.newNip(), world.newPrint()];
    expect(await world.per(print(f), nip(a))).toBeUndefined();
    await world.op(grantPersonPermissions, await world.login(nip(a)), {
      body: bodies.person(print(f), 'InvoiceWrite'),
    });
    expect(await world.per(print(f), nip(a))).toEqual(['InvoiceWrite']);
  });

  it('a blocked context says so until it is unblocked', async () => {
    const a = nip(world.newNip());
    const blocked = () => world.permissions.isBlocked(a, world.clock.now(), world.database);
    expect(await blocked()).toBe(false);
    await world.call(blockContext, undefined, { body: { contextIdentifier: a } });
    await world.call(blockContext, undefined, { body: a });
    expect(await blocked()).toBe(true);
    await world.call(unblockContext, await world.login(a));
    expect(await blocked()).toBe(false);
  });

  it('lets a Peppol provider into its own context only', async () => {
    const [own, other] = [peppol(world.newPeppol()), peppol(world.newPeppol())];
    expect(await world.per(own)).toEqual(['PefInvoiceWrite']);
    expect(await world.per(other, own)).toBeUndefined();
    expect(await world.per(own, nip(world.newNip()))).toBeUndefined();
  });

  it('gives grants on a bound identifier to both, and never makes an owner depend on grants', async () => {
    const [a, k, w] = [world.newNip(), world.newNip(), world.newPesel()];
    await world.call(createPerson, undefined, {
      body: { nip: k, pesel: w, isBailiff: false, description: 'a trader' },
    });
    await world.call(grantTestPermissions, undefined, {
      body: {
        contextIdentifier: nip(a),
        authorizedIdentifier: nip(k),
        permissions: [{ permissionType: 'Introspection', description: 'by paper' }],
      },
    });
    expect(await world.per(pesel(w), nip(a))).toEqual(['Introspection']);
    expect(await world.per(nip(k))).toEqual(['Owner']);
  });
});
