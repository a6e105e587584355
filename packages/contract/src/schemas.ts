import Type, { type TEnum } from 'typebox';
import { AUTHENTICATION_CATEGORIES, CONTEXT_TYPES, PERSON_IDENTIFIER_TYPES } from './enumerations.ts';
import {
  CERTIFICATE_SERIAL_PATTERN,
  FINGERPRINT_PATTERN,
  INTERNAL_ID_PATTERN,
  NIP_PATTERN,
  NIP_VAT_UE_PATTERN,
  PEPPOL_ID_PATTERN,
  PESEL_PATTERN,
} from './identifiers.ts';
import { INVOICE_NUMBER_PATTERN } from './invoice-number.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MINIMUM } from './limits.ts';
import { FORBIDDEN_REASONS } from './problem-texts.ts';
import { REFERENCE_NUMBER_LENGTH } from './reference-number.ts';
import type { ForbiddenReason } from './refusal.ts';

/** An enumeration that keeps its literal types; the reader matches it whatever the case. */
export function OneOf<const Values extends readonly [string, ...string[]]>(
  values: Values,
  options: { description?: string } = {},
): TEnum<[...Values]> {
  return Type.Enum([...values], options) as TEnum<[...Values]>;
}

/** Only the length counts on input: a well-formed but unknown number is "not found", not malformed. */
export const ReferenceNumber = Type.String({
  minLength: REFERENCE_NUMBER_LENGTH,
  maxLength: REFERENCE_NUMBER_LENGTH,
  description: 'Reference number',
});
export const Nip = Type.String({ pattern: NIP_PATTERN, description: 'Tax number' });
export const Pesel = Type.String({ pattern: PESEL_PATTERN, description: 'Personal number' });
export const InternalId = Type.String({ pattern: INTERNAL_ID_PATTERN, description: 'Internal identifier of a unit' });
export const NipVatUe = Type.String({ pattern: NIP_VAT_UE_PATTERN, description: 'Tax number and EU VAT number' });
export const Fingerprint = Type.String({ pattern: FINGERPRINT_PATTERN, description: 'SHA-256 of a certificate' });
export const PeppolId = Type.String({ pattern: PEPPOL_ID_PATTERN, description: 'Peppol provider' });
export const SvcNumber = Type.String({
  minLength: 35,
  maxLength: 36,
  pattern: INVOICE_NUMBER_PATTERN,
  description: 'Number of an accepted invoice',
});
export const CertificateSerialNumber = Type.String({ pattern: CERTIFICATE_SERIAL_PATTERN });
export const Sha256HashBase64 = Type.String({
  minLength: 44,
  maxLength: 44,
  pattern: '^[A-Za-z0-9+/]{43}=$',
  description: 'SHA-256, Base64',
});
export const Base64 = Type.String({ minLength: 1, format: 'base64' });
/** Selector of a published key: SHA-256 of its SubjectPublicKeyInfo. */
export const PublicKeyId = Type.String({ minLength: 44, maxLength: 44, format: 'base64' });
export const DateTime = Type.String({ format: 'date-time' });
export const DateOnly = Type.String({ format: 'date' });
export const Count = Type.Integer({ minimum: 0 });

/** Page size with the bounds of its list. */
export function PageSize(maximum: number) {
  return Type.Optional(Type.Integer({ minimum: PAGE_SIZE_MINIMUM, maximum, default: PAGE_SIZE_DEFAULT }));
}
export const PageOffset = Type.Optional(Type.Integer({ minimum: 0, default: 0 }));

export const ContinuationToken = Type.Optional(Type.String({ description: 'Absent on the last page' }));

/** Path with one reference number. */
export const ReferenceNumberParams = Type.Object({ referenceNumber: ReferenceNumber });

export const StatusInfo = Type.Object({
  code: Type.Integer(),
  description: Type.String({ minLength: 1 }),
  details: Type.Optional(Type.Array(Type.String())),
});

/** `{type, value}`; whether the value fits the type is judged by `checkIdentifier` after reading. */
export function Identifier<const Values extends readonly [string, ...string[]]>(
  types: Values,
  bounds: { minLength?: number; maxLength?: number } = {},
) {
  return Type.Object({ type: OneOf(types), value: Type.String({ minLength: 1, ...bounds }) });
}

export const ContextIdentifier = Identifier(CONTEXT_TYPES, { minLength: 9, maxLength: 25 });
export const SubjectIdentifier = Identifier(PERSON_IDENTIFIER_TYPES, { minLength: 10, maxLength: 64 });

export const TokenInfo = Type.Object({ token: Type.String(), validUntil: DateTime });

export const ReferenceNumberResponse = Type.Object({ referenceNumber: ReferenceNumber });

// Error bodies.

export const ApiError = Type.Object({
  code: Type.Integer(),
  description: Type.String(),
  details: Type.Optional(Type.Array(Type.String())),
});

/** Default 400, deprecated. */
export const ExceptionResponse = Type.Object({
  exception: Type.Object({
    exceptionDetailList: Type.Array(
      Type.Object({
        exceptionCode: Type.Integer(),
        exceptionDescription: Type.String(),
        details: Type.Optional(Type.Array(Type.String())),
      }),
    ),
    referenceNumber: Type.Optional(Type.String({ minLength: 36, maxLength: 36 })),
    serviceCode: Type.String({ pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$' }),
    serviceCtx: Type.Optional(Type.String()),
    serviceName: Type.Optional(Type.String()),
    timestamp: DateTime,
  }),
});

/** Default 429, deprecated. */
export const TooManyRequestsResponse = Type.Object({
  status: Type.Object({
    code: Type.Literal(429),
    description: Type.Literal('Too Many Requests'),
    details: Type.Array(Type.String(), { minItems: 1 }),
  }),
});

const TraceId = Type.String({ pattern: '^[0-9a-f]{32}$' });

function problem<Status extends number, Title extends string>(status: Status, title: Title) {
  return { title: Type.Literal(title), status: Type.Literal(status), detail: Type.String(), timestamp: DateTime };
}

const located = { instance: Type.String(), traceId: TraceId };
const maybeLocated = { instance: Type.Optional(Type.String()), traceId: Type.Optional(TraceId) };

export const BadRequestProblemDetails = Type.Object({
  ...problem(400, 'Bad Request'),
  ...located,
  errors: Type.Array(ApiError, { minItems: 1 }),
});

export const UnauthorizedProblemDetails = Type.Object({ ...problem(401, 'Unauthorized'), ...maybeLocated });

export const ForbiddenProblemDetails = Type.Object({
  ...problem(403, 'Forbidden'),
  ...maybeLocated,
  reasonCode: OneOf(FORBIDDEN_REASONS as [ForbiddenReason, ...ForbiddenReason[]]),
  security: Type.Optional(
    Type.Object({
      requiredAnyOfPermissions: Type.Optional(Type.Array(Type.String())),
      presentPermissions: Type.Optional(Type.Array(Type.String())),
      clientIp: Type.Optional(Type.String()),
      authenticationMethodCategory: Type.Optional(OneOf(AUTHENTICATION_CATEGORIES)),
      contextIdentifierType: Type.Optional(OneOf(CONTEXT_TYPES)),
      incidentId: Type.Optional(Type.String()),
    }),
  ),
});

export const GoneProblemDetails = Type.Object({ ...problem(410, 'Gone'), ...located });

export const TooManyRequestsProblemDetails = Type.Object({ ...problem(429, 'Too Many Requests'), ...located });
