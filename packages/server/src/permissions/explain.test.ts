import {
  grantEntityPermissions,
  grantIndirectPermissions,
  grantPersonPermissions,
  grantSubunitAdministration,
  revokePermission,
} from '@kwit/contract/permission-endpoints';
import { queryPersonGrants } from '@kwit/contract/permission-query-endpoints';
import { blockContext, createPerson, createSubject, removeSubject } from '@kwit/contract/testdata-endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../platform/caller.ts';
import { explain, resolveOperation } from './explain.ts';
import type { Identifier } from './model.ts';
import { bodies, createWorld, nip, type PermissionsWorld, peppol, pesel } from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const owner = () => world.login(nip(world.newNip()));
const ask = (subject: Identifier, context: Identifier, operation: string) =>
  explain(world, { subject, context, operation });
const idsOf = async (caller: Caller) =>
  (
    await world.call(queryPersonGrants, caller, { body: { queryType: 'PermissionsGrantedInCurrentContext' } })
  ).permissions.map((p) => p.id);

describe('explaining', () => {
  it('an owner, and what an owner lacks', async () => {
    const a = await owner();
    const allowed = await ask(a.subject, a.context, 'POST /sessions/online');
    expect(allowed).toMatchObject({
      allowed: true,
      anyOf: ['InvoiceWrite', 'PefInvoiceWrite', 'EnforcementOperations'],
      missing: [],
    });
    expect(allowed.because).toEqual([
      `Nip ${a.context.value} is the owner of the context, and Owner contains InvoiceWrite. No grant is needed for that.`,
    ]);
    const refused = await ask(a.subject, a.context, 'POST /permissions/eu-entities/grants');
    expect(refused.allowed).toBe(false);
    expect(refused.missing[0]).toContain('VatUeManage exists in NipVatUe contexts only');
  });

  it('a grant, by its id, also when it hangs on the bound identifier', async () => {
    const [a, k, w] = [await owner(), world.newNip(), world.newPesel()];
    await world.call(createPerson, undefined, {
      body: { nip: k, pesel: w, isBailiff: false, description: 'a trader' },
    });
    await world.op(grantPersonPermissions, a, { body: bodies.person(nip(k), 'InvoiceRead') });
    const [id] = await idsOf(a);
    const { allowed, because } = await ask(pesel(w), a.context, 'POST /invoices/query/metadata');
    expect(allowed).toBe(true);
    expect(because).toHaveLength(1);
    expect(because[0]).toMatch(`Pesel ${w} and Nip ${k} are one person`);
    expect(because[0]).toMatch(`grant ${id} of 2026-03-01`);
  });

  it('a chain of delegation, whole and with each link missing', async () => {
    const [a, b, w] = [await owner(), await owner(), pesel(world.newPesel())];
    const read = 'InvoiceRead';
    const nothing = await ask(w, a.context, read);
    expect(nothing.missing).toEqual([
      `Missing: InvoiceRead in Nip ${a.context.value}. Its owner has it; who holds CredentialsManage there can grant it.`,
    ]);

    await world.op(grantIndirectPermissions, b, { body: bodies.indirect(w, null, read) });
    const [handedOn] = await idsOf(b);
    const withoutClient = await ask(w, a.context, read);
    expect(withoutClient.allowed).toBe(false);
    expect(withoutClient.missing[0]).toContain(`(grant ${handedOn} of`);
    expect(withoutClient.missing[0]).toContain(`but Nip ${a.context.value} gave Nip ${b.context.value} no InvoiceRead`);

    await world.op(grantEntityPermissions, a, { body: bodies.entity(b.context.value, read) });
    const withoutDelegation = await ask(w, a.context, read);
    expect(withoutDelegation.allowed).toBe(false);
    expect(withoutDelegation.missing[0]).toContain('without the right to delegate');

    await world.op(grantEntityPermissions, a, {
      body: bodies.entity(b.context.value, { type: read, canDelegate: true }),
    });
    const [given] = await idsOf(a);
    const whole = await ask(w, a.context, read);
    expect(whole).toMatchObject({ allowed: true, missing: [] });
    expect(whole.because[0]).toContain(`for all its partners (grant ${handedOn}`);
    expect(whole.because[0]).toContain(`lets it delegate (grant ${given}`);
  });

  it('why an employee is not reached by what was given to the office', async () => {
    const [a, b, w] = [await owner(), await owner(), pesel(world.newPesel())];
    await world.op(grantEntityPermissions, a, {
      body: bodies.entity(b.context.value, { type: 'InvoiceRead', canDelegate: true }),
    });
    await world.op(grantPersonPermissions, b, { body: bodies.person(w, 'InvoiceRead') });
    const { allowed, missing } = await ask(w, a.context, 'GET /invoices/svc/{svcNumber}');
    expect(allowed).toBe(false);
    expect(missing[0]).toMatch(/does not reach its employees: Nip \d{10} must hand it on by an indirect grant/);
  });

  it('grants that were revoked, and roles that are gone', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    const role = { subjectNip: a.context.value, subjectType: 'EnforcementAuthority', description: 'tax office' };
    await world.call(createSubject, undefined, { body: role });
    await world.op(grantPersonPermissions, a, { body: bodies.person(w, 'EnforcementOperations') });
    expect((await ask(w, a.context, 'EnforcementOperations')).because[0]).toContain(
      'has the role EnforcementAuthority that it needs',
    );
    await world.call(removeSubject, undefined, { body: { subjectNip: a.context.value } });
    expect((await ask(w, a.context, 'EnforcementOperations')).missing[0]).toContain('it has no role now');
    const [id] = await idsOf(a);
    await world.op(revokePermission, a, { params: { permissionId: id! } });
    const { missing } = await ask(w, a.context, 'EnforcementOperations');
    expect(missing[0]).toMatch(new RegExp(`^grant ${id} of .* until it was revoked at 2026-03-01`));
  });

  it('an administrator of a member that left its group', async () => {
    const [a, b, w] = [await owner(), nip(world.newNip()), pesel(world.newPesel())];
    const subunits = [{ subjectNip: b.value, description: 'its member' }];
    await world.call(createSubject, undefined, {
      body: { subjectNip: a.context.value, subjectType: 'VatGroup', description: 'the group', subunits },
    });
    await world.op(grantSubunitAdministration, a, { body: bodies.subunit(w, b) });
    expect((await ask(w, b, 'CredentialsManage')).because[0]).toContain('as VatGroupSubUnit');
    await world.call(removeSubject, undefined, { body: { subjectNip: a.context.value } });
    expect((await ask(w, b, 'CredentialsManage')).missing[0]).toContain('is no longer subordinate to it');
  });

  it('what stands in the way whatever is granted', async () => {
    const a = await owner();
    const provider = peppol(world.newPeppol());
    const closed = await ask(provider, provider, 'POST /invoices/exports');
    expect(closed.missing[0]).toContain('closed to contexts of type PeppolId');
    await world.call(blockContext, undefined, { body: a.context });
    const blocked = await ask(a.subject, a.context, 'InvoiceRead');
    expect(blocked.allowed).toBe(false);
    expect(blocked.missing[0]).toContain('480');
    const [k, w] = [world.newNip(), world.newPesel()];
    await world.call(createPerson, undefined, {
      body: { nip: k, pesel: w, isBailiff: false, isDeceased: true, description: 'late trader' },
    });
    expect((await ask(pesel(w), nip(k), 'InvoiceRead')).missing).toEqual([
      `Pesel ${w} is marked as deceased: logins end with 470, and nothing is held.`,
    ]);
  });

  it('endpoints that ask for a login only, or for nothing', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    expect((await ask(a.subject, a.context, 'POST /tokens')).because.at(-1)).toContain('logins by signature only');
    expect(await ask(w, a.context, 'GET /tokens')).toMatchObject({
      allowed: false,
      missing: [expect.stringContaining('415')],
    });
    expect(await ask(w, a.context, 'GET /peppol/query')).toMatchObject({ allowed: true });
  });

  it('understands both names and both forms of parameters', () => {
    const number = 'GET /invoices/svc/:svcNumber';
    for (const text of [number, 'get /invoices/ksef/{ksefNumber}', 'GET  /Invoices/SVC/{x}']) {
      expect(resolveOperation(text).operation).toBe(number);
    }
    expect(() => resolveOperation('GET /permissions/persons')).toThrow(
      /Did you mean POST \/permissions\/persons\/grants/,
    );
  });
});
