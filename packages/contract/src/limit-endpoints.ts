import Type, { type TObject, type TOptional, type TSchema } from 'typebox';
import { endpoint } from './endpoint.ts';
import {
  CONTEXT_LIMIT_MAXIMA,
  RATE_GROUPS,
  RATE_LIMIT_TEST_FACTOR,
  RATE_LIMITS,
  type RateGroup,
  type RateThresholds,
} from './limits.ts';
import { access } from './permissions.ts';
import { Count, OneOf } from './schemas.ts';

/** Limits of the current context and of the caller, and their change on TEST. */
const reading = { tag: 'Limits', rateGroup: 'other', codes: [], status: 200 } as const;
const changing = { tag: 'Test data', rateGroup: 'other', codes: [21405], status: 200 } as const;
const restoring = { tag: 'Test data', rateGroup: 'other', codes: [], status: 200 } as const;

const INT32_MAXIMUM = 2_147_483_647;

const SessionLimitsAnswer = Type.Object({
  maxInvoiceSizeInMB: Count,
  maxInvoiceWithAttachmentSizeInMB: Count,
  maxInvoices: Count,
});

export const getContextLimits = endpoint({
  ...reading,
  ...access('GET /limits/context'),
  id: 'limits.context',
  summary: 'Limits of sessions in the current context',
  answer: Type.Object({ onlineSession: SessionLimitsAnswer, batchSession: SessionLimitsAnswer }),
});

export const getSubjectLimits = endpoint({
  ...reading,
  ...access('GET /limits/subject'),
  id: 'limits.subject',
  summary: 'Certificate limits of the authenticated entity',
  answer: Type.Object({
    enrollment: Type.Object({ maxEnrollments: Count }),
    certificate: Type.Object({ maxCertificates: Count }),
  }),
});

function eachGroup<Group extends TSchema>(make: (group: RateGroup) => Group): TObject<Record<RateGroup, Group>> {
  return Type.Object(Object.fromEntries(RATE_GROUPS.map((group) => [group, make(group)])) as Record<RateGroup, Group>);
}

const ThresholdsAnswer = Type.Object({ perSecond: Count, perMinute: Count, perHour: Count });

export const getRateLimits = endpoint({
  ...reading,
  ...access('GET /rate-limits'),
  id: 'limits.requests',
  summary: 'Request limits in force in the current context',
  answer: eachGroup(() => ThresholdsAnswer),
});

function upTo(maximum: number) {
  return Type.Integer({ minimum: 0, maximum });
}

const SessionLimitsBody = Type.Object({
  maxInvoiceSizeInMB: upTo(CONTEXT_LIMIT_MAXIMA.maxInvoiceSizeInMB),
  maxInvoiceWithAttachmentSizeInMB: upTo(CONTEXT_LIMIT_MAXIMA.maxInvoiceWithAttachmentSizeInMB),
  maxInvoices: upTo(CONTEXT_LIMIT_MAXIMA.maxInvoices),
});

export const changeContextLimits = endpoint({
  ...changing,
  ...access('POST /testdata/limits/context/session'),
  id: 'testdata.changeContextLimits',
  summary: 'Change the session limits of the current context',
  body: Type.Object({ onlineSession: SessionLimitsBody, batchSession: SessionLimitsBody }),
});

export const restoreContextLimits = endpoint({
  ...restoring,
  ...access('DELETE /testdata/limits/context/session'),
  id: 'testdata.restoreContextLimits',
  summary: 'Restore the session limits of the current context',
});

export const changeSubjectLimits = endpoint({
  ...changing,
  ...access('POST /testdata/limits/subject/certificate'),
  id: 'testdata.changeSubjectLimits',
  summary: 'Change the certificate limits of the authenticated entity; what is left out stays',
  body: Type.Object({
    subjectIdentifierType: Type.Optional(OneOf(['Nip', 'Pesel', 'Fingerprint'])),
    enrollment: Type.Optional(Type.Object({ maxEnrollments: Type.Optional(upTo(INT32_MAXIMUM)) })),
    certificate: Type.Optional(Type.Object({ maxCertificates: Type.Optional(upTo(INT32_MAXIMUM)) })),
  }),
});

export const restoreSubjectLimits = endpoint({
  ...restoring,
  ...access('DELETE /testdata/limits/subject/certificate'),
  id: 'testdata.restoreSubjectLimits',
  summary: 'Restore the certificate limits of the authenticated entity',
});

function threshold(normal: number) {
  return Type.Integer({ minimum: 1, maximum: normal * RATE_LIMIT_TEST_FACTOR });
}

function thresholdsBody({ perSecond, perMinute, perHour }: RateThresholds) {
  return Type.Object({
    perSecond: threshold(perSecond),
    perMinute: threshold(perMinute),
    perHour: threshold(perHour),
  });
}

type ThresholdsBody = ReturnType<typeof thresholdsBody>;
type RateLimitsBody = {
  [Group in RateGroup]: Group extends 'invoiceExportStatus' ? TOptional<ThresholdsBody> : ThresholdsBody;
};

/** Published clients leave `invoiceExportStatus` out; then it keeps its value. Every other group is required. */
const rateLimitsBody = Object.fromEntries(
  RATE_GROUPS.map((group) => {
    const body = thresholdsBody(RATE_LIMITS[group]);
    return [group, group === 'invoiceExportStatus' ? Type.Optional(body) : body];
  }),
) as unknown as RateLimitsBody;

export const changeRateLimits = endpoint({
  ...changing,
  ...access('POST /testdata/rate-limits'),
  id: 'testdata.changeRateLimits',
  summary: 'Change the request limits of the current context',
  body: Type.Object({ rateLimits: Type.Object(rateLimitsBody) }),
});

export const restoreRateLimits = endpoint({
  ...restoring,
  ...access('DELETE /testdata/rate-limits'),
  id: 'testdata.restoreRateLimits',
  summary: 'Restore the request limits of the current context',
});

export const applyProductionRateLimits = endpoint({
  ...changing,
  ...access('POST /testdata/rate-limits/production'),
  id: 'testdata.applyProductionRateLimits',
  summary: 'Give the current context the request limits of production',
  codes: [],
});
