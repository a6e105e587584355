import { grantPersonPermissions } from '@kwit/contract/permission-endpoints';
import { queryPersonGrants as endpoint, queryPersonalGrants } from '@kwit/contract/permission-query-endpoints';
import { createPerson, grantTestPermissions } from '@kwit/contract/testdata-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../platform/caller.ts';
import { bodies, createWorld, forbiddenOf, nip, type PermissionsWorld, pesel, refusalOf } from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const owner = () => world.login(nip(world.newNip()));
const list = async (caller: Caller, body: object = {}, query: object = {}) =>
  world.call(endpoint, caller, { body: { queryType: 'PermissionsInCurrentContext', ...body }, query });

describe('the list of persons', () => {
  it('comes newest first, a page at a time', async () => {
    const a = await owner();
    const made: string[] = [];
    for (let i = 0; i < 25; i += 1) {
      const w = pesel(world.newPesel());
      made.unshift(w.value);
      await world.op(grantPersonPermissions, a, { body: bodies.person(w, 'InvoiceRead') });
    }
    const pages = [];
    for (const pageOffset of ['0', '1', '2', '3']) pages.push(await list(a, {}, { pageOffset, pageSize: '10' }));
    expect(pages.map((p) => [p.permissions.length, p.hasMore])).toEqual([
      [10, true],
      [10, true],
      [5, false],
      [0, false],
    ]);
    expect(pages.flatMap((p) => p.permissions.map((r) => r.authorizedIdentifier.value))).toEqual(made);
    // A full last page is the last one.
    expect((await list(a, {}, { pageSize: '25' })).hasMore).toBe(false);
  });

  it('refuses pages out of range', async () => {
    const a = await owner();
    const refused = async (query: object) => (await refusalOf(list(a, {}, query))).details;
    expect(await refused({ pageSize: '9' })).toEqual(["'pageSize' must be between 10 and 100. You entered 9."]);
    expect(await refused({ pageSize: '101' })).toEqual(["'pageSize' must be between 10 and 100. You entered 101."]);
    expect(await refused({ pageOffset: '-1' })).toHaveLength(1);
    expect(await refused({ pageOffset: 'x' })).toHaveLength(1);
    expect((await list(a, {}, { pageOffset: '900000000000' })).permissions).toEqual([]);
  });

  it('shows every author’s grants to a reader', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    await world.op(grantPersonPermissions, a, {
      body: bodies.person(w, 'InvoiceWrite', 'InvoiceRead', 'CredentialsRead'),
    });
    const reader = await world.login(w, a.context);
    const { permissions } = await list(reader, { queryType: 'PermissionsGrantedInCurrentContext' });
    expect(permissions.map((p) => p.permissionScope).toSorted()).toEqual([
      'CredentialsRead',
      'InvoiceRead',
      'InvoiceWrite',
    ]);
    expect(new Set(permissions.map((p) => p.authorIdentifier.value))).toEqual(new Set([a.subject.value]));
  });

  it('finds what the system granted', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    await world.call(grantTestPermissions, undefined, {
      body: {
        contextIdentifier: a.context,
        authorizedIdentifier: w,
        permissions: [{ permissionType: 'InvoiceRead', description: 'by paper' }],
      },
    });
    await world.op(grantPersonPermissions, a, { body: bodies.person(w, 'InvoiceWrite') });
    const { permissions } = await list(a, { authorIdentifier: { type: 'System' } });
    expect(permissions).toHaveLength(1);
    expect(permissions[0]).toMatchObject({ permissionScope: 'InvoiceRead', authorIdentifier: { type: 'System' } });
    expect(permissions[0]?.authorIdentifier).not.toHaveProperty('value');
    expect(permissions[0]).not.toHaveProperty('subjectPersonDetails');
    expect((await list(a, { authorIdentifier: a.subject })).permissions).toMatchObject([
      { permissionScope: 'InvoiceWrite' },
    ]);
    expect((await refusalOf(list(a, { authorIdentifier: { type: 'System', value: 'x' } }))).code).toBe(21405);
  });

  it('is closed to who only reads invoices, whose own list is open', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    await world.op(grantPersonPermissions, a, { body: bodies.person(w, 'InvoiceRead') });
    const caller = await world.login(w, a.context);
    expect((await forbiddenOf(list(caller))).security).toEqual({
      requiredAnyOfPermissions: ['CredentialsManage', 'CredentialsRead', 'SubunitManage'],
      presentPermissions: ['InvoiceRead'],
    });
    expect((await world.call(queryPersonalGrants, caller)).permissions).toHaveLength(1);
  });

  it('matches filters for context and target by where the record works', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    await world.op(grantPersonPermissions, a, { body: bodies.person(w, 'InvoiceRead') });
    const found = async (of: { type: string; value: string }) =>
      (await list(a, { contextIdentifier: of, targetIdentifier: of })).permissions.length;
    expect([await found(a.context), await found(nip(world.newNip()))]).toEqual([1, 0]);
    expect((await list(a, { authorizedIdentifier: w, permissionTypes: ['invoiceRead'] })).permissions).toHaveLength(1);
    expect((await list(a, { permissionTypes: ['InvoiceWrite'] })).permissions).toEqual([]);
    expect((await list(a, { permissionTypes: [] })).permissions).toHaveLength(1);
    expect((await list(a, { authorizedIdentifier: pesel(world.newPesel()) })).permissions).toEqual([]);
    expect((await refusalOf(list(a, { authorizedIdentifier: nip('0123456789') }))).code).toBe(21405);
  });

  it('needs its kind of question', async () => {
    const a = await owner();
    expect((await refusalOf(world.call(endpoint, a, { body: {} }))).details).toEqual([
      "'queryType' must not be empty.",
    ]);
  });
});

describe('the own list', () => {
  it('names the identifier that holds when it is not the one that logged in', async () => {
    const [a, k, w] = [await owner(), world.newNip(), world.newPesel()];
    await world.call(createPerson, undefined, {
      body: { nip: k, pesel: w, isBailiff: false, description: 'a trader' },
    });
    await world.op(grantPersonPermissions, a, { body: bodies.person(nip(k), 'InvoiceRead') });
    const asPesel = await world.call(queryPersonalGrants, await world.login(pesel(w), a.context));
    expect(asPesel.permissions).toMatchObject([{ authorizedIdentifier: nip(k), contextIdentifier: a.context }]);
    const asNip = await world.call(queryPersonalGrants, await world.login(nip(k), a.context));
    expect(asNip.permissions[0]).not.toHaveProperty('authorizedIdentifier');
  });

  it('holds nothing of other contexts or other people', async () => {
    const [a, b, w] = [await owner(), await owner(), pesel(world.newPesel())];
    await world.op(grantPersonPermissions, a, { body: bodies.person(w, 'InvoiceRead') });
    await world.op(grantPersonPermissions, b, { body: bodies.person(w, 'InvoiceWrite') });
    await world.op(grantPersonPermissions, a, { body: bodies.person(pesel(world.newPesel()), 'Introspection') });
    const { permissions } = await world.call(queryPersonalGrants, await world.login(w, a.context));
    expect(permissions.map((p) => p.permissionScope)).toEqual(['InvoiceRead']);
  });
});
