import {
  applyProductionRateLimits,
  changeContextLimits,
  changeRateLimits,
  changeSubjectLimits,
  getContextLimits,
  getRateLimits,
  getSubjectLimits,
  restoreContextLimits,
  restoreRateLimits,
  restoreSubjectLimits,
} from '@kwit/contract/limit-endpoints';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import type { SubjectIdentifier } from '../platform/caller.ts';
import { callerIn, freshContext, type TestNode, testNode } from './node.fixture.ts';

const SESSION_DEFAULTS = { maxInvoiceSizeInMB: 1, maxInvoiceWithAttachmentSizeInMB: 3, maxInvoices: 10_000 };

/** Table of retrieval 15.3, written down again so that a slip in the contract shows. */
const TABLE: Readonly<Record<string, readonly [number, number, number]>> = {
  onlineSession: [10, 30, 120],
  batchSession: [10, 20, 60],
  invoiceSend: [10, 30, 180],
  invoiceStatus: [30, 120, 1200],
  sessionList: [5, 10, 60],
  sessionInvoiceList: [10, 20, 200],
  sessionMisc: [10, 120, 1200],
  invoiceMetadata: [8, 16, 20],
  invoiceExport: [8, 16, 20],
  invoiceExportStatus: [10, 60, 600],
  invoiceDownload: [8, 16, 64],
  other: [10, 30, 120],
};
const RATE_DEFAULTS = Object.fromEntries(
  Object.entries(TABLE).map(([group, [perSecond, perMinute, perHour]]) => [group, { perSecond, perMinute, perHour }]),
);

let database: TestDatabase;
let node: TestNode;

beforeAll(async () => {
  database = await testDatabase();
  node = testNode(database);
});
afterAll(() => node?.close());

describe('a fresh context', () => {
  it('has the default session limits, with every field', async () => {
    expect(await node.call(getContextLimits, callerIn(freshContext()))).toEqual({
      onlineSession: SESSION_DEFAULTS,
      batchSession: SESSION_DEFAULTS,
    });
  });

  it('has the default request limits of all twelve groups', async () => {
    expect(await node.call(getRateLimits, callerIn(freshContext()))).toEqual(RATE_DEFAULTS);
  });

  it.each([
    [{ type: 'Nip', value: '5265877635' }, 300, 100],
    [{ type: 'Pesel', value: '30112206276' }, 12, 6],
    [{ type: 'Fingerprint', value: 'AB'.repeat(32) }, 12, 6],
    [{ type: 'PeppolId', value: 'PPL123456' }, 0, 0],
  ] as const)('gives %j its certificate limits', async (subject, maxEnrollments, maxCertificates) => {
    expect(await node.call(getSubjectLimits, callerIn(freshContext(), subject as SubjectIdentifier))).toEqual({
      enrollment: { maxEnrollments },
      certificate: { maxCertificates },
    });
  });
});

describe('session limits', () => {
  const changed = {
    onlineSession: { maxInvoiceSizeInMB: 5, maxInvoiceWithAttachmentSizeInMB: 10, maxInvoices: 2 },
    batchSession: { maxInvoiceSizeInMB: 0, maxInvoiceWithAttachmentSizeInMB: 4, maxInvoices: 100_000 },
  };

  it('change for the context alone, are seen at once by everybody who asks, and are restored', async () => {
    const [context, other] = [freshContext(), freshContext()];
    const caller = callerIn(context);
    await node.limitsOf(context);
    expect(await node.call(changeContextLimits, caller, changed)).toBeUndefined();
    expect(await node.call(getContextLimits, caller)).toEqual(changed);
    expect(await node.limitsOf(context)).toEqual(changed);
    expect((await node.limitsOf(other)).onlineSession).toEqual(SESSION_DEFAULTS);
    expect(await node.call(restoreContextLimits, caller)).toBeUndefined();
    expect((await node.limitsOf(context)).onlineSession).toEqual(SESSION_DEFAULTS);
    await node.call(restoreContextLimits, caller);
  });

  it('outlive the process', async () => {
    const context = freshContext();
    await node.call(changeContextLimits, callerIn(context), changed);
    const restarted = testNode(database);
    expect(await restarted.limitsOf(context)).toEqual(changed);
    await restarted.close();
  });

  it('belong to a context by type and value', async () => {
    const context = freshContext();
    await node.call(changeContextLimits, callerIn(context), changed);
    expect((await node.limitsOf({ type: 'PeppolId', value: context.value })).onlineSession).toEqual(SESSION_DEFAULTS);
  });
});

describe('certificate limits', () => {
  it('change by four and come back', async () => {
    const subject: SubjectIdentifier = { type: 'Pesel', value: '44051401458' };
    const caller = callerIn(freshContext(), subject);
    await node.call(changeSubjectLimits, caller, {
      subjectIdentifierType: 'Pesel',
      enrollment: { maxEnrollments: 16 },
      certificate: { maxCertificates: 10 },
    });
    expect(await node.call(getSubjectLimits, caller)).toEqual({
      enrollment: { maxEnrollments: 16 },
      certificate: { maxCertificates: 10 },
    });
    expect(await node.certificateLimitsOf(subject)).toEqual({ maxEnrollments: 16, maxCertificates: 10 });
    // They belong to the subject, whatever the context.
    expect(await node.call(getSubjectLimits, callerIn(freshContext(), subject))).toMatchObject({
      enrollment: { maxEnrollments: 16 },
    });
    await node.call(restoreSubjectLimits, caller);
    expect(await node.certificateLimitsOf(subject)).toEqual({ maxEnrollments: 12, maxCertificates: 6 });
  });

  it('keep what is left out, and stay with the own identifier whatever kind is named', async () => {
    const subject: SubjectIdentifier = { type: 'Nip', value: '7010002137' };
    const caller = callerIn(freshContext(), subject);
    await node.call(changeSubjectLimits, caller, { subjectIdentifierType: 'Pesel', enrollment: { maxEnrollments: 0 } });
    expect(await node.certificateLimitsOf(subject)).toEqual({ maxEnrollments: 0, maxCertificates: 100 });
    await node.call(changeSubjectLimits, caller, { certificate: { maxCertificates: 7 } });
    expect(await node.certificateLimitsOf(subject)).toEqual({ maxEnrollments: 0, maxCertificates: 7 });
    await node.call(changeSubjectLimits, caller, { enrollment: {} });
    expect(await node.certificateLimitsOf(subject)).toEqual({ maxEnrollments: 0, maxCertificates: 7 });
  });
});

describe('request limits', () => {
  const tens = Object.fromEntries(
    Object.entries(TABLE).map(([group, [s, m, h]]) => [
      group,
      { perSecond: s * 10, perMinute: m * 10, perHour: h * 10 },
    ]),
  );

  it('change, and both the production profile and a restore bring the defaults back', async () => {
    const caller = callerIn(freshContext());
    for (const back of [applyProductionRateLimits, restoreRateLimits]) {
      await node.call(changeRateLimits, caller, { rateLimits: tens });
      expect(await node.call(getRateLimits, caller)).toEqual(tens);
      expect(await node.requestLimitsOf(caller.context)).toEqual(tens);
      await node.call(back, caller);
      expect(await node.call(getRateLimits, caller)).toEqual(RATE_DEFAULTS);
    }
  });

  it('keep invoiceExportStatus when it is left out', async () => {
    const caller = callerIn(freshContext());
    const { invoiceExportStatus: _, ...rest } = tens;
    await node.call(changeRateLimits, caller, { rateLimits: rest });
    expect(await node.call(getRateLimits, caller)).toEqual({
      ...rest,
      invoiceExportStatus: { perSecond: 10, perMinute: 60, perHour: 600 },
    });
    await node.call(changeRateLimits, caller, { rateLimits: tens });
    await node.call(changeRateLimits, caller, { rateLimits: rest });
    expect(await node.call(getRateLimits, caller)).toEqual(tens);
  });
});
