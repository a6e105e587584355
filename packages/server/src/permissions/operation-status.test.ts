import {
  getPermissionOperation as endpoint,
  grantPersonPermissions,
  revokePermission,
} from '@kwit/contract/permission-endpoints';
import { queryPersonalGrants } from '@kwit/contract/permission-query-endpoints';
import { isReferenceNumber } from '@kwit/contract/reference-number';
import { Gone } from '@kwit/contract/refusal';
import { beforeAll, describe, expect, it } from 'vitest';
import { Interrupted } from '../platform/jobs/passing.ts';
import { failureOf, PERMISSION_OPERATIONS } from './operation-queue.ts';
import type { GrantRequest } from './operation-request.ts';
import { insertOperation } from './operation-store.ts';
import { processOperation } from './process-operation.ts';
import { submitOperation } from './submit-operation.ts';
import { bodies, createWorld, forbiddenOf, nip, type PermissionsWorld, pesel, refusalOf } from './world.fixture.ts';

let world: PermissionsWorld;
beforeAll(async () => {
  world = await createWorld();
});

const owner = () => world.login(nip(world.newNip()));
const DAY = 24 * 60 * 60 * 1000;

describe('the status of an operation', () => {
  it('is 200 without details once it is done', async () => {
    const a = await owner();
    const body = bodies.person(pesel(world.newPesel()), 'InvoiceRead');
    const { referenceNumber } = await world.call(grantPersonPermissions, a, { body });
    expect(isReferenceNumber(referenceNumber, 'EG')).toBe(true);
    expect(await world.call(endpoint, a, { params: { referenceNumber } })).toEqual({
      status: { code: 200, description: 'Operacja zakończona sukcesem' },
    });
  });

  it('is for its own context, and for numbers that exist', async () => {
    const [a, b] = [await owner(), await owner()];
    const body = bodies.person(pesel(world.newPesel()), 'InvoiceRead');
    const params = await world.call(grantPersonPermissions, a, { body });
    expect(await forbiddenOf(world.call(endpoint, b, { params }))).toEqual({
      reason: 'insufficient-resource-access',
      security: undefined,
    });
    const unknown = { referenceNumber: world.references.next('EG') };
    expect((await refusalOf(world.call(endpoint, a, { params: unknown }))).code).toBe(21405);
    expect((await refusalOf(world.call(endpoint, a, { params: { referenceNumber: 'abc' } }))).code).toBe(21405);
  });

  it('is gone after 30 days, for its own context; the permission stays', async () => {
    const [a, b, w] = [await owner(), await owner(), pesel(world.newPesel())];
    const params = await world.call(grantPersonPermissions, a, { body: bodies.person(w, 'InvoiceRead') });
    world.clock.advance(30 * DAY - 10);
    expect((await world.call(endpoint, a, { params })).status.code).toBe(200);
    world.clock.advance(10);
    await expect(world.call(endpoint, a, { params })).rejects.toBeInstanceOf(Gone);
    expect((await forbiddenOf(world.call(endpoint, b, { params }))).reason).toBe('insufficient-resource-access');
    expect(await world.per(w, a.context)).toEqual(['InvoiceRead']);
  });
});

describe('an operation', () => {
  const request = (w: string): GrantRequest => ({
    type: 'grant',
    kind: 'Person',
    scopes: [{ scope: 'InvoiceRead', canDelegate: false }],
    subject: pesel(w),
    worksIn: nip(''),
    description: 'accounting',
  });

  it('is settled by its job when the process died after the 202, and only once', async () => {
    const [a, w] = [await owner(), world.newPesel()];
    const reference = world.references.next('EG');
    const operation = {
      reference,
      context: a.context,
      author: a.subject,
      request: { ...request(w), worksIn: a.context },
    };
    await world.database.transaction(async (tx) => {
      await insertOperation(tx, operation, world.clock.now());
      await world.jobs.add(tx, [{ queue: PERMISSION_OPERATIONS, payload: { reference }, key: reference }]);
    });
    expect((await world.statusOf(a, reference)).code).toBe(100);
    await world.runner.drain();
    expect((await world.statusOf(a, reference)).code).toBe(200);
    expect(await world.per(pesel(w), a.context)).toEqual(['InvoiceRead']);
    await processOperation(world, reference);
    expect((await world.statusOf(a, reference)).code).toBe(200);
  });

  it('is not repeated by its job after a later one undid it', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    await world.op(grantPersonPermissions, a, { body: bodies.person(w, 'InvoiceRead') });
    const { permissions } = await world.call(queryPersonalGrants, await world.login(w, a.context));
    await world.op(revokePermission, a, { params: { permissionId: permissions[0]!.id } });
    await world.runner.drain();
    expect(await world.per(w, a.context)).toBeUndefined();
  });

  it('that cannot be done is accepted, tried again, and ends with 500', async () => {
    const a = await owner();
    // No request of the interface looks like this: a record without a permission.
    const broken = {
      ...request(world.newPesel()),
      scopes: [{ scope: null as unknown as string, canDelegate: false }],
      worksIn: a.context,
    };
    const { referenceNumber } = await submitOperation(world, a, broken);
    expect((await world.statusOf(a, referenceNumber)).code).toBe(100);
    for (let hour = 0; hour < 24; hour += 1) {
      await world.runner.drain();
      world.clock.advance(60 * 60 * 1000);
    }
    expect(await world.statusOf(a, referenceNumber)).toEqual({ code: 500, description: 'Nieznany błąd' });
  });

  it('that was interrupted ends with 550 and the advice to try again', () => {
    const interrupted = [
      new Interrupted('its worker died'),
      { code: '57P01' },
      { code: '40001' },
      { code: 'ECONNRESET' },
    ];
    expect(interrupted.map((error) => failureOf(error).code)).toEqual([550, 550, 550, 550]);
    expect(failureOf({ code: '53300' }).because).toBe(
      'Przetwarzanie zostało przerwane z przyczyn wewnętrznych systemu. Spróbuj ponownie później.',
    );
    expect([new TypeError('x'), { code: '23502' }].map((error) => failureOf(error).code)).toEqual([500, 500]);
  });

  it('and others that cross it in the same context leave one record', async () => {
    const [a, w] = [await owner(), pesel(world.newPesel())];
    const body = bodies.person(w, 'InvoiceRead', 'InvoiceWrite');
    const codes = await Promise.all(Array.from({ length: 8 }, () => world.op(grantPersonPermissions, a, { body })));
    expect(codes).toEqual(Array(8).fill(200));
    expect(await world.per(w, a.context)).toEqual(['InvoiceWrite', 'InvoiceRead']);
  });
});
