import { blockContext as endpoint, unblockContext } from '@kwit/contract/testdata-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import { createWorld, eu, nip, type PermissionsWorld, peppol, refusalOf, unit } from '../permissions/world.fixture.ts';
import type { ContextIdentifier } from '../platform/caller.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const blocked = (context: ContextIdentifier) => world.permissions.isBlocked(context, world.clock.now(), world.database);

describe('blocking a context', () => {
  it('takes every type, as a member or bare, and repeats', async () => {
    const a = world.newNip();
    const contexts = [nip(a), unit(world.newUnit(a)), eu(world.newEu(a)), peppol(world.newPeppol())];
    for (const context of contexts) {
      await world.call(endpoint, undefined, { body: { contextIdentifier: context } });
      await world.call(endpoint, undefined, { body: context });
      expect(await blocked(context)).toBe(true);
      await world.call(unblockContext, undefined, { body: { ...context, type: context.type.toLowerCase() } });
      await world.call(unblockContext, undefined, { body: context });
      expect(await blocked(context)).toBe(false);
    }
  });

  it('takes the context of a token when the body names none, and the body before the token', async () => {
    const [a, b] = [await world.login(nip(world.newNip())), nip(world.newNip())];
    await world.call(endpoint, a);
    expect(await blocked(a.context)).toBe(true);
    await world.call(unblockContext, a, { body: { contextIdentifier: null } });
    expect(await blocked(a.context)).toBe(false);
    await world.call(endpoint, a, { body: b });
    expect([await blocked(a.context), await blocked(b)]).toEqual([false, true]);
  });

  it('needs to know which', async () => {
    const refused = async (body: object) => (await refusalOf(world.call(endpoint, undefined, { body }))).code;
    expect(await refused({})).toBe(21405);
    expect(await refused({ type: 'Nip' })).toBe(21405);
    expect(await refused({ value: world.newNip() })).toBe(21405);
    expect(await refused({ contextIdentifier: { type: 'Nip', value: '0123456789' } })).toBe(21405);
    expect(await refused({ type: 'InternalId', value: world.newNip() })).toBe(21405);
  });

  it('leaves the permissions in it as they are', async () => {
    const a = nip(world.newNip());
    await world.call(endpoint, undefined, { body: a });
    expect(await world.per(a)).toEqual(['Owner']);
  });
});
