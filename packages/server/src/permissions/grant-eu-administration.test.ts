import {
  grantEuAdministration as endpoint,
  grantEuRepresentation,
  revokePermission,
} from '@kwit/contract/permission-endpoints';
import { queryEuEntityGrants, queryPersonalGrants } from '@kwit/contract/permission-query-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../platform/caller.ts';
import { bodies, createWorld, eu, forbiddenOf, nip, type PermissionsWorld, print, refusalOf } from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const owner = () => world.login(nip(world.newNip()));
const list = async (caller: Caller, body: object = {}) =>
  (await world.call(queryEuEntityGrants, caller, { body })).permissions;

/** F administers an EU entity that bills for A. */
async function administered() {
  const [a, f] = [await owner(), world.newPrint()];
  const place = eu(world.newEu(a.context.value));
  expect(await world.op(endpoint, a, { body: bodies.euAdministration(f, place.value) })).toBe(200);
  return { a, f, place };
}

describe('administrators of EU entities', () => {
  it('get four records, seen from the NIP', async () => {
    const { a, f, place } = await administered();
    const records = await list(a);
    expect(records.map((r) => r.permissionScope).toSorted()).toEqual([
      'Introspection',
      'InvoiceRead',
      'InvoiceWrite',
      'VatUeManage',
    ]);
    for (const record of records) {
      expect(record).toEqual({
        id: expect.any(String),
        authorIdentifier: a.subject,
        vatUeIdentifier: place.value.slice(11),
        euEntityName: 'Muster GmbH, Berlin',
        authorizedFingerprintIdentifier: f,
        permissionScope: record.permissionScope,
        description: 'self-billing partner',
        subjectEntityDetails: {
          subjectDetailsType: 'EntityByFingerprint',
          fullName: 'Muster GmbH',
          address: 'Hauptstr. 1, Berlin',
        },
        euEntityDetails: { fullName: 'Muster GmbH', address: 'Hauptstr. 1, Berlin' },
        startDate: expect.any(String),
      });
    }
  });

  it('are appointed for a context of the own NIP, by fingerprint, with all the data', async () => {
    const [a, f] = [await owner(), world.newPrint()];
    const own = a.context.value;
    const right = bodies.euAdministration(f, `${own}-DE123456789`);
    expect(await world.op(endpoint, a, { body: bodies.euAdministration(f, `${world.newNip()}-DE123456789`) })).toBe(
      410,
    );
    const refused = async (body: object) => (await refusalOf(world.call(endpoint, a, { body }))).details;
    for (const vat of ['DE123456789012', `PL${own}`, 'GR123456789']) {
      expect(await refused(bodies.euAdministration(f, `${own}-${vat}`))).toEqual([
        "'contextIdentifier.value' is not in the correct format.",
      ]);
    }
    expect(await refused({ ...right, subjectIdentifier: nip(own) })).not.toEqual([]);
    const { euEntityDetails: _, ...incomplete } = right;
    expect(await refused(incomplete)).toEqual(["'euEntityDetails' must not be empty."]);
    expect(await refused({ ...right, euEntityName: 'GmbH' })).toHaveLength(1);
    expect(await refused({ ...right, subjectDetails: { subjectDetailsType: 'EntityByFingerprint' } })).toEqual([
      "'subjectDetails.entityByFp' must not be empty.",
    ]);
  });

  it('hold exactly the four, each revocable alone from the NIP', async () => {
    const { a, f, place } = await administered();
    expect(await world.per(print(f), place)).toEqual(['InvoiceWrite', 'InvoiceRead', 'Introspection', 'VatUeManage']);
    expect(await world.per(nip(a.context.value), place)).toBeUndefined();
    const mine = await world.call(queryPersonalGrants, await world.login(print(f), place));
    expect(mine.permissions).toHaveLength(4);
    expect(mine.permissions[0]).not.toHaveProperty('contextIdentifier');
    const write = (await list(a)).find((r) => r.permissionScope === 'InvoiceWrite');
    expect(await world.op(revokePermission, a, { params: { permissionId: write!.id } })).toBe(200);
    expect(await list(a)).toHaveLength(3);
    expect(await world.per(print(f), place)).toEqual(['InvoiceRead', 'Introspection', 'VatUeManage']);
    // Appointing again makes only what is missing.
    const before = (await list(a)).map((r) => r.id);
    expect(await world.op(endpoint, a, { body: bodies.euAdministration(f, place.value) })).toBe(200);
    const after = (await list(a)).map((r) => r.id);
    expect(after).toHaveLength(4);
    expect(after).toEqual(expect.arrayContaining(before));
  });

  it('appoint representatives, who are not seen from the NIP', async () => {
    const { a, f, place } = await administered();
    const [administrator, g] = [await world.login(print(f), place), world.newPrint()];
    const body = bodies.euRepresentation(g, 'InvoiceRead', 'InvoiceWrite');
    expect(await world.op(grantEuRepresentation, administrator, { body })).toBe(200);
    expect(await world.per(print(g), place)).toEqual(['InvoiceWrite', 'InvoiceRead']);
    const inside = await list(administrator);
    expect(inside).toHaveLength(6);
    expect(inside[0]).toMatchObject({
      authorizedFingerprintIdentifier: g,
      euEntityName: 'Muster GmbH, Berlin',
      euEntityDetails: { fullName: 'Muster GmbH' },
      subjectPersonDetails: { subjectDetailsType: 'PersonByFingerprintWithoutIdentifier' },
    });
    const part = g.slice(20, 40).toLowerCase();
    expect(await list(administrator, { authorizedFingerprintIdentifier: part })).toHaveLength(2);
    expect(await list(administrator, { permissionTypes: ['VatUeManage'] })).toHaveLength(1);
    const vat = place.value.slice(11);
    expect(await list(a, { vatUeIdentifier: vat })).toHaveLength(4);
    expect(await list(a, { vatUeIdentifier: vat === 'RO12' ? 'RO13' : 'RO12' })).toEqual([]);
    expect((await refusalOf(list(a, { vatUeIdentifier: 'PL5265877635' }))).details).toEqual([
      "'vatUeIdentifier' is not in the correct format.",
    ]);
    expect(await list(a)).toHaveLength(4);
  });

  it('alone appoint representatives', async () => {
    const { a, f, place } = await administered();
    const g = world.newPrint();
    await world.op(grantEuRepresentation, await world.login(print(f), place), {
      body: bodies.euRepresentation(g, 'InvoiceRead'),
    });
    await forbiddenOf(world.call(grantEuRepresentation, await world.login(print(g), place)));
    expect(await forbiddenOf(world.call(grantEuRepresentation, a))).toEqual({
      reason: 'missing-permissions',
      security: { requiredAnyOfPermissions: ['VatUeManage'], presentPermissions: ['Owner'] },
    });
  });

  it('revoke representatives, but not themselves', async () => {
    const { f, place } = await administered();
    const [administrator, g] = [await world.login(print(f), place), world.newPrint()];
    await world.op(grantEuRepresentation, administrator, { body: bodies.euRepresentation(g, 'InvoiceRead') });
    const records = await list(administrator);
    const of = (fingerprint: string, scope: string) =>
      records.find((r) => r.authorizedFingerprintIdentifier === fingerprint && r.permissionScope === scope)!.id;
    expect(await world.op(revokePermission, administrator, { params: { permissionId: of(g, 'InvoiceRead') } })).toBe(
      200,
    );
    expect(await world.op(revokePermission, administrator, { params: { permissionId: of(f, 'VatUeManage') } })).toBe(
      420,
    );
    expect(await world.per(print(g), place)).toBeUndefined();
    expect(await world.per(print(f), place)).toContain('VatUeManage');
  });
});
