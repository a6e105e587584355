import { queryEntityRoles, querySubordinateEntityRoles } from '@kwit/contract/permission-query-endpoints';
import { createPerson, createSubject as endpoint, removeSubject } from '@kwit/contract/testdata-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import { createWorld, nip, type PermissionsWorld, refusalOf } from '../permissions/world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const create = (subjectNip: string, more: object = {}) =>
  world.call(endpoint, undefined, {
    body: { subjectNip, subjectType: 'EnforcementAuthority', description: 'tax office', ...more },
  });
const remove = (subjectNip: string) => world.call(removeSubject, undefined, { body: { subjectNip } });
const rolesOf = async (value: string) => (await world.call(queryEntityRoles, await world.login(nip(value)))).roles;
const subunit = (subjectNip: string) => ({ subjectNip, description: 'a subunit' });

describe('creating an entity', () => {
  it.each([
    ['EnforcementAuthority', 'EnforcementAuthority', undefined],
    ['VatGroup', 'VatGroupUnit', 'VatGroupSubUnit'],
    ['JST', 'LocalGovernmentUnit', 'LocalGovernmentSubUnit'],
  ])('%s gives the role %s, and subordinates %s', async (subjectType, own, child) => {
    const [a, b] = [world.newNip(), world.newNip()];
    expect(await create(a, { subjectType, ...(child && { subunits: [subunit(b)] }) })).toBeUndefined();
    expect(await rolesOf(a)).toMatchObject([{ role: own, description: 'tax office' }]);
    const children = (await world.call(querySubordinateEntityRoles, await world.login(nip(a)))).roles;
    expect(children.map((r) => r.role)).toEqual(child ? [child] : []);
    expect(await world.per(nip(b), nip(a))).toBeUndefined();
  });

  it('lets the owner of an enforcement authority enforce', async () => {
    const a = world.newNip();
    await create(a);
    expect(await world.per(nip(a))).toEqual(['Owner', 'EnforcementOperations']);
    await remove(a);
    expect(await world.per(nip(a))).toEqual(['Owner']);
  });

  it('is refused with 30001 while the entity exists', async () => {
    const a = world.newNip();
    await create(a);
    const again = await refusalOf(create(a));
    expect(again.code).toBe(30001);
    expect(again.details[0]).toContain(a);
    await remove(a);
    await create(a);
    expect(await rolesOf(a)).toHaveLength(1);
  });

  it('is refused as a whole while a subordinate exists', async () => {
    const [a, b] = [world.newNip(), world.newNip()];
    await create(b);
    expect((await refusalOf(create(a, { subjectType: 'JST', subunits: [subunit(b)] }))).code).toBe(30001);
    expect(await rolesOf(a)).toEqual([]);
    expect(await rolesOf(b)).toMatchObject([{ role: 'EnforcementAuthority' }]);
  });

  it('needs a later date than the last time', async () => {
    const a = world.newNip();
    await create(a, { createdDate: '2026-01-01T00:00:00Z' });
    expect(await rolesOf(a)).toMatchObject([{ startDate: '2026-01-01T00:00:00.000+00:00' }]);
    await remove(a);
    const { code, details } = await refusalOf(create(a, { createdDate: '2026-01-01T00:00:00Z' }));
    expect([code, details[0]]).toEqual([21405, expect.stringContaining('2026-01-01T00:00:00.000+00:00')]);
    expect(await rolesOf(a)).toEqual([]);
    await create(a, { createdDate: '2026-01-01T00:00:00.001Z' });
    expect(await rolesOf(a)).toHaveLength(1);
  });

  it('with a date ahead gives the role from then on', async () => {
    const a = world.newNip();
    await create(a, { createdDate: new Date(world.clock.now() + 60_000).toISOString() });
    expect(await rolesOf(a)).toEqual([]);
    expect(await world.per(nip(a))).toEqual(['Owner']);
    world.clock.advance(60_000);
    expect(await rolesOf(a)).toHaveLength(1);
    expect(await world.per(nip(a))).toEqual(['Owner', 'EnforcementOperations']);
  });

  it('refuses subordinates where there can be none, twice the same, and the entity itself', async () => {
    const [a, b] = [world.newNip(), world.newNip()];
    const code = async (more: object) => (await refusalOf(create(a, more))).code;
    expect(await code({ subunits: [subunit(b)] })).toBe(21405);
    expect(await code({ subjectType: 'JST', subunits: [subunit(b), subunit(b)] })).toBe(21405);
    expect(await code({ subjectType: 'JST', subunits: [subunit(a)] })).toBe(21405);
    expect(await code({ subjectType: 'JST', subunits: [{ subjectNip: b, description: 'four' }] })).toBe(21405);
    expect(await code({ subjectType: 'Company' })).toBe(21405);
    expect((await refusalOf(create('0123456789'))).details).toEqual(["'subjectNip' is not in the correct format."]);
    await create(a, { subunits: [] });
  });

  it('stands beside a person of the same NIP', async () => {
    const a = world.newNip();
    await world.call(createPerson, undefined, {
      body: { nip: a, pesel: world.newPesel(), isBailiff: true, description: 'a bailiff' },
    });
    await create(a);
    expect((await rolesOf(a)).map((r) => r.role).toSorted()).toEqual(['CourtBailiff', 'EnforcementAuthority']);
    await remove(a);
    expect((await rolesOf(a)).map((r) => r.role)).toEqual(['CourtBailiff']);
  });

  it('can be undone when nothing was done', async () => {
    expect(await remove(world.newNip())).toBeUndefined();
  });
});
