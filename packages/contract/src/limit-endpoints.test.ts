import { describe, expect, it } from 'vitest';
import { changeContextLimits, changeRateLimits, changeSubjectLimits } from './limit-endpoints.ts';
import { CONTEXT_LIMITS, RATE_LIMITS } from './limits.ts';
import { createReader } from './read.ts';

const readContext = createReader(changeContextLimits.body);
const readSubject = createReader(changeSubjectLimits.body);
const readRates = createReader<{ rateLimits: object }>(changeRateLimits.body);

describe('session limits of a context', () => {
  it.each([
    [
      'onlineSession',
      { maxInvoiceSizeInMB: 6 },
      "'onlineSession.maxInvoiceSizeInMB' must be between 0 and 5. You entered 6.",
    ],
    [
      'batchSession',
      { maxInvoiceWithAttachmentSizeInMB: 11 },
      "'batchSession.maxInvoiceWithAttachmentSizeInMB' must be between 0 and 10. You entered 11.",
    ],
    [
      'onlineSession',
      { maxInvoices: 100_001 },
      "'onlineSession.maxInvoices' must be between 0 and 100000. You entered 100001.",
    ],
    ['batchSession', { maxInvoices: -1 }, "'batchSession.maxInvoices' must be between 0 and 100000. You entered -1."],
    ['onlineSession', { maxInvoices: 1.5 }, "'onlineSession.maxInvoices' must be an integer. You entered 1.5."],
    ['onlineSession', { maxInvoices: null }, "'onlineSession.maxInvoices' must not be empty."],
  ] as const)('of %s refuse %j', (kind, change, text) => {
    const body = { ...CONTEXT_LIMITS, [kind]: { ...CONTEXT_LIMITS[kind], ...change } };
    expect(readContext(body).failures).toEqual([text]);
  });

  it('need both kinds of session', () => {
    expect(readContext({ onlineSession: CONTEXT_LIMITS.onlineSession }).failures).toEqual([
      "'batchSession' must not be empty.",
    ]);
  });

  it('take the bounds themselves', () => {
    const lowest = { maxInvoiceSizeInMB: 0, maxInvoiceWithAttachmentSizeInMB: 0, maxInvoices: 0 };
    const highest = { maxInvoiceSizeInMB: 5, maxInvoiceWithAttachmentSizeInMB: 10, maxInvoices: 100_000 };
    expect(readContext({ onlineSession: lowest, batchSession: highest }).failures).toEqual([]);
  });
});

describe('certificate limits of a subject', () => {
  it('refuse the former kind Token and negative numbers', () => {
    expect(readSubject({ subjectIdentifierType: 'Token' }).failures).toHaveLength(1);
    expect(readSubject({ enrollment: { maxEnrollments: -1 } }).failures).toHaveLength(1);
    expect(readSubject({ certificate: { maxCertificates: -1 } }).failures).toHaveLength(1);
  });

  it('may leave out everything, also by null, and write the kind in any case', () => {
    expect(readSubject({}).failures).toEqual([]);
    expect(readSubject({ subjectIdentifierType: null, enrollment: null, certificate: null }).failures).toEqual([]);
    expect(readSubject({ SubjectIdentifierType: 'pesel' })).toEqual({
      value: { subjectIdentifierType: 'Pesel' },
      failures: [],
    });
  });
});

describe('request limits', () => {
  it('say each problem in a sentence of its own', () => {
    const { other: _, ...rest } = RATE_LIMITS;
    const body = {
      rateLimits: {
        ...rest,
        onlineSession: { perSecond: 0, perMinute: 30, perHour: 11_111_111 },
        invoiceSend: { perSecond: 10, perMinute: 30 },
      },
    };
    expect([...readRates(body).failures].sort()).toEqual([
      "'rateLimits.invoiceSend.perHour' must not be empty.",
      "'rateLimits.onlineSession.perHour' must be between 1 and 1200. You entered 11111111.",
      "'rateLimits.onlineSession.perSecond' must be between 1 and 100. You entered 0.",
      "'rateLimits.other' must not be empty.",
    ]);
  });

  it('may leave out invoiceExportStatus alone', () => {
    const { invoiceExportStatus: _, ...rest } = RATE_LIMITS;
    expect(readRates({ rateLimits: rest }).failures).toEqual([]);
    expect(readRates({ rateLimits: { ...rest, invoiceExportStatus: null } }).failures).toEqual([]);
    expect(readRates({}).failures).toEqual(["'rateLimits' must not be empty."]);
  });

  it('go up to ten times the default and down to 1, in any relation to each other', () => {
    const scaled = (times: (n: number) => number) =>
      Object.fromEntries(
        Object.entries(RATE_LIMITS).map(([group, t]) => [
          group,
          { perSecond: times(t.perSecond), perMinute: times(t.perMinute), perHour: times(t.perHour) },
        ]),
      );
    expect(readRates({ rateLimits: scaled((n) => n * 10) }).failures).toEqual([]);
    expect(readRates({ rateLimits: scaled(() => 1) }).failures).toEqual([]);
    expect(readRates({ rateLimits: scaled((n) => n * 10 + 1) }).failures).toHaveLength(36);
    const odd = { ...RATE_LIMITS, other: { perSecond: 100, perMinute: 5, perHour: 1 } };
    expect(readRates({ rateLimits: odd }).failures).toEqual([]);
  });
});
