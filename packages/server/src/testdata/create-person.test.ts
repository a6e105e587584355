import { grantPersonPermissions } from '@kwit/contract/permission-endpoints';
import { createPerson as endpoint, removePerson } from '@kwit/contract/testdata-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import { bodies, createWorld, nip, type PermissionsWorld, pesel, refusalOf } from '../permissions/world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const create = (of: string, w: string, more: object = {}) =>
  world.call(endpoint, undefined, { body: { nip: of, pesel: w, isBailiff: false, description: 'a trader', ...more } });

describe('creating a person', () => {
  it('is refused with 30001 while the NIP or the PESEL belongs to one', async () => {
    const [k, w] = [world.newNip(), world.newPesel()];
    await create(k, w);
    for (const [of, who] of [
      [k, w],
      [k, world.newPesel()],
      [world.newNip(), w],
    ] as const) {
      expect((await refusalOf(create(of, who))).code).toBe(30001);
    }
    await world.call(removePerson, undefined, { body: { nip: k } });
    await create(world.newNip(), w);
  });

  it('needs a later date than the last time, and every field', async () => {
    const [k, w] = [world.newNip(), world.newPesel()];
    await create(k, w, { createdDate: '2026-02-01T12:00:00+01:00' });
    await world.call(removePerson, undefined, { body: { nip: k } });
    expect((await refusalOf(create(k, w, { createdDate: '2026-02-01T11:00:00Z' }))).code).toBe(21405);
    await create(k, w, { createdDate: '2026-02-01T11:00:01Z' });
    for (const missing of ['nip', 'pesel', 'isBailiff', 'description']) {
      expect((await refusalOf(create(world.newNip(), world.newPesel(), { [missing]: null }))).details).toEqual([
        `'${missing}' must not be empty.`,
      ]);
    }
    expect((await refusalOf(create(k, '44131401359'))).details).toEqual(["'pesel' is not in the correct format."]);
  });
});

describe('removing a person', () => {
  it('takes what its NIP and its PESEL held anywhere, and leaves others alone', async () => {
    const [k, w, other] = [world.newNip(), world.newPesel(), pesel(world.newPesel())];
    const a = await world.login(nip(world.newNip()));
    await create(k, w);
    for (const subject of [nip(k), pesel(w), other]) {
      await world.op(grantPersonPermissions, a, { body: bodies.person(subject, 'InvoiceRead') });
    }
    await world.call(removePerson, undefined, { body: { nip: k } });
    expect(await world.per(nip(k), a.context)).toBeUndefined();
    expect(await world.per(pesel(w), a.context)).toBeUndefined();
    expect(await world.per(other, a.context)).toEqual(['InvoiceRead']);
  });

  it('that is unknown changes nothing', async () => {
    const [a, k] = [await world.login(nip(world.newNip())), world.newNip()];
    await world.op(grantPersonPermissions, a, { body: bodies.person(nip(k), 'InvoiceRead') });
    await world.call(removePerson, undefined, { body: { nip: k } });
    expect(await world.per(nip(k), a.context)).toEqual(['InvoiceRead']);
  });
});
