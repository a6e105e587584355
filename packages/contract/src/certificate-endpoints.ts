import Type from 'typebox';
import { endpoint } from './endpoint.ts';
import { CERTIFICATE_STATUSES, CERTIFICATE_TYPES, REVOCATION_REASONS } from './enumerations.ts';
import { MAX_CERTIFICATES_PER_RETRIEVAL, PAGE_SIZE_MAXIMA } from './limits.ts';
import { access } from './permissions.ts';
import {
  Base64,
  CertificateSerialNumber,
  Count,
  DateTime,
  OneOf,
  PageOffset,
  PageSize,
  ReferenceNumber,
  ReferenceNumberParams,
  StatusInfo,
  SubjectIdentifier,
} from './schemas.ts';

/** Certificates that the service issues to authenticated entities, whatever context they are logged into. */
const common = { tag: 'Certificates', rateGroup: 'other' } as const;

const Counter = Type.Object({ limit: Count, remaining: Count });

export const getCertificateLimits = endpoint({
  ...common,
  ...access('GET /certificates/limits'),
  id: 'certificates.limits',
  summary: 'How many requests and certificates are left, and whether another request may be made',
  codes: [],
  status: 200,
  answer: Type.Object({ canRequest: Type.Boolean(), enrollment: Counter, certificate: Counter }),
});

export const EnrollmentData = Type.Object({
  commonName: Type.String(),
  countryName: Type.String(),
  givenName: Type.Optional(Type.Array(Type.String())),
  surname: Type.Optional(Type.String()),
  serialNumber: Type.Optional(Type.String()),
  uniqueIdentifier: Type.Optional(Type.String()),
  organizationName: Type.Optional(Type.String()),
  organizationIdentifier: Type.Optional(Type.String()),
});

export const getEnrollmentData = endpoint({
  ...common,
  ...access('GET /certificates/enrollments/data'),
  id: 'certificates.enrollmentData',
  summary: 'Attributes that the subject of a certification request must have',
  codes: [25001],
  status: 200,
  answer: EnrollmentData,
});

/** Longer than any request with one key and one name; text that is no Base64 is told apart after reading. */
const LONGEST_CSR = 20_000;

export const enrollCertificate = endpoint({
  ...common,
  ...access('POST /certificates/enrollments'),
  id: 'certificates.enroll',
  summary: 'Ask for a certificate',
  codes: [21405, 25002, 25003, 25004, 25006, 25007, 25010, 25011],
  body: Type.Object({
    certificateName: Type.String({
      minLength: 5,
      maxLength: 100,
      pattern: '^[a-zA-Z0-9_\\- ąćęłńóśźżĄĆĘŁŃÓŚŹŻ]+$',
      description: 'Shown in lists; need not be unique',
    }),
    certificateType: OneOf(CERTIFICATE_TYPES),
    csr: Type.String({ minLength: 1, maxLength: LONGEST_CSR, description: 'PKCS#10 request, DER, Base64' }),
    validFrom: Type.Optional(DateTime),
  }),
  status: 202,
  answer: Type.Object({ referenceNumber: ReferenceNumber, timestamp: DateTime }),
});

export const getEnrollment = endpoint({
  ...common,
  ...access('GET /certificates/enrollments/:referenceNumber'),
  id: 'certificates.enrollment',
  summary: 'What became of a request',
  codes: [21405, 25005],
  gone: true,
  params: ReferenceNumberParams,
  status: 200,
  answer: Type.Object({
    requestDate: DateTime,
    status: StatusInfo,
    certificateSerialNumber: Type.Optional(CertificateSerialNumber),
  }),
});

/** The pattern of a serial number is documentation only: a malformed one is an unknown one. */
const SerialText = Type.String({ maxLength: 1000, description: '16 upper-case hexadecimal digits' });

export const retrieveCertificates = endpoint({
  ...common,
  ...access('POST /certificates/retrieve'),
  id: 'certificates.retrieve',
  summary: 'Download certificates',
  codes: [21405],
  body: Type.Object({
    certificateSerialNumbers: Type.Array(SerialText, { minItems: 1, maxItems: MAX_CERTIFICATES_PER_RETRIEVAL }),
  }),
  status: 200,
  answer: Type.Object({
    certificates: Type.Array(
      Type.Object({
        certificate: Base64,
        certificateName: Type.String(),
        certificateSerialNumber: CertificateSerialNumber,
        certificateType: OneOf(CERTIFICATE_TYPES),
      }),
    ),
  }),
});

export const queryCertificates = endpoint({
  ...common,
  ...access('POST /certificates/query'),
  id: 'certificates.query',
  summary: 'List certificates, newest request first',
  codes: [21405],
  query: Type.Object({ pageSize: PageSize(PAGE_SIZE_MAXIMA.certificates), pageOffset: PageOffset }),
  bodyOptional: true,
  body: Type.Object({
    certificateSerialNumber: Type.Optional(SerialText),
    name: Type.Optional(Type.String({ maxLength: 1000 })),
    type: Type.Optional(OneOf(CERTIFICATE_TYPES)),
    status: Type.Optional(OneOf(CERTIFICATE_STATUSES)),
    expiresAfter: Type.Optional(DateTime),
  }),
  status: 200,
  answer: Type.Object({
    certificates: Type.Array(
      Type.Object({
        certificateSerialNumber: CertificateSerialNumber,
        name: Type.String({ maxLength: 100 }),
        type: OneOf(CERTIFICATE_TYPES),
        commonName: Type.String(),
        status: OneOf(CERTIFICATE_STATUSES),
        subjectIdentifier: SubjectIdentifier,
        validFrom: DateTime,
        validTo: DateTime,
        lastUseDate: Type.Optional(DateTime),
        requestDate: DateTime,
      }),
    ),
    hasMore: Type.Boolean(),
  }),
});

export const revokeCertificate = endpoint({
  ...common,
  ...access('POST /certificates/:certificateSerialNumber/revoke'),
  id: 'certificates.revoke',
  summary: 'Revoke a certificate for good',
  codes: [21405, 25008, 25009],
  params: Type.Object({ certificateSerialNumber: SerialText }),
  bodyOptional: true,
  body: Type.Object({ revocationReason: Type.Optional(OneOf(REVOCATION_REASONS)) }),
  status: 204,
});

const published = {
  tag: 'Certificates',
  rateGroup: 'public',
  codes: [],
  hidden: true,
  status: 200,
} as const;

/** `name` is the key identifier of an authority in hexadecimal digits, with the ending. */
const FileParams = Type.Object({ name: Type.String({ maxLength: 100 }) });

export const downloadRevocationList = endpoint({
  ...published,
  ...access('GET /pki/crl/:name'),
  id: 'certificates.revocationList',
  summary: 'Revocation list of an authority of the service',
  params: FileParams,
  document: 'application/pkix-crl',
});

export const downloadAuthority = endpoint({
  ...published,
  ...access('GET /pki/ca/:name'),
  id: 'certificates.authority',
  summary: 'Certificate of an authority of the service',
  params: FileParams,
  document: 'application/pkix-cert',
});
