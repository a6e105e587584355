import { getAttachmentStatus as endpoint, grantSubunitAdministration } from '@kwit/contract/permission-endpoints';
import { allowAttachments, revokeAttachments } from '@kwit/contract/testdata-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import { bodies, createWorld, nip, type PermissionsWorld, pesel, unit } from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

describe('the consent to attachments', () => {
  it('is not given by itself, and cannot be ended then', async () => {
    const a = await world.login(nip(world.newNip()));
    expect(await world.call(endpoint, a)).toEqual({ isAttachmentAllowed: false });
    await world.call(revokeAttachments, undefined, { body: { nip: a.context.value } });
    expect(await world.call(endpoint, a)).toEqual({ isAttachmentAllowed: false });
  });

  it('lasts until midnight UTC of the day on which it ends, and can be given anew', async () => {
    const a = await world.login(nip(world.newNip()));
    const body = { nip: a.context.value };
    await world.call(allowAttachments, undefined, { body });
    expect(await world.call(endpoint, a)).toEqual({ isAttachmentAllowed: true });
    await world.call(revokeAttachments, undefined, { body: { ...body, expectedEndDate: '2026-03-02' } });
    expect(await world.call(endpoint, a)).toEqual({
      isAttachmentAllowed: true,
      revokedDate: '2026-03-02T00:00:00.000+00:00',
    });
    const allowedAt = async (moment: string) =>
      (await world.permissions.attachmentsAllowed(world.database, [body.nip], Date.parse(moment))).has(body.nip);
    expect(await allowedAt('2026-03-01T23:59:59.999Z')).toBe(true);
    expect(await allowedAt('2026-03-02T00:00:00Z')).toBe(false);
    await world.call(allowAttachments, undefined, { body });
    expect(await world.call(endpoint, a)).toEqual({ isAttachmentAllowed: true });
  });

  it('ends at once without a day, or with one that is not ahead', async () => {
    const a = await world.login(nip(world.newNip()));
    const body = { nip: a.context.value };
    await world.call(allowAttachments, undefined, { body });
    await world.call(revokeAttachments, undefined, { body });
    const now = new Date(world.clock.now()).toISOString().replace('Z', '+00:00');
    expect(await world.call(endpoint, a)).toEqual({ isAttachmentAllowed: false, revokedDate: now });
    await world.call(allowAttachments, undefined, { body });
    await world.call(revokeAttachments, undefined, { body: { ...body, expectedEndDate: '2026-03-01' } });
    expect(await world.call(endpoint, a)).toEqual({
      isAttachmentAllowed: false,
      revokedDate: '2026-03-01T00:00:00.000+00:00',
    });
  });

  it('of a unit is that of its NIP', async () => {
    const [a, w] = [await world.login(nip(world.newNip())), pesel(world.newPesel())];
    const place = unit(world.newUnit(a.context.value));
    await world.op(grantSubunitAdministration, a, { body: bodies.subunit(w, place) });
    await world.call(allowAttachments, undefined, { body: { nip: a.context.value } });
    expect(await world.call(endpoint, await world.login(w, place))).toEqual({ isAttachmentAllowed: true });
  });
});
