import * as endpoints from '@kwit/contract/certificate-endpoints';
import { type Binding, bind } from '../platform/binding.ts';
import { callerOf } from '../platform/caller.ts';
import type { CertificatesDeps } from './deps.ts';
import { downloadAuthority, downloadList } from './download.ts';
import { enroll } from './enroll.ts';
import { query } from './query.ts';
import { readEnrollment } from './read-enrollment.ts';
import { readEnrollmentData } from './read-enrollment-data.ts';
import { readLimits } from './read-limits.ts';
import { retrieve } from './retrieve.ts';
import { revoke } from './revoke.ts';

export function certificateRoutes(deps: CertificatesDeps): Binding[] {
  return [
    bind(endpoints.getCertificateLimits, ({ bearer }) => readLimits(deps, callerOf(bearer))),
    bind(endpoints.getEnrollmentData, ({ bearer }) => readEnrollmentData(deps, callerOf(bearer))),
    bind(endpoints.enrollCertificate, ({ bearer, body, baseUrl }) => enroll(deps, callerOf(bearer), body, baseUrl)),
    bind(endpoints.getEnrollment, ({ bearer, params }) =>
      readEnrollment(deps, callerOf(bearer), params.referenceNumber),
    ),
    bind(endpoints.retrieveCertificates, ({ bearer, body }) =>
      retrieve(deps, callerOf(bearer), body.certificateSerialNumbers),
    ),
    bind(endpoints.queryCertificates, ({ bearer, body, query: page }) => query(deps, callerOf(bearer), body, page)),
    bind(endpoints.revokeCertificate, async ({ bearer, params, body }) => {
      await revoke(deps, callerOf(bearer), params.certificateSerialNumber, body.revocationReason);
      return undefined;
    }),
    bind(endpoints.downloadRevocationList, ({ params }) => downloadList(deps, params.name)),
    bind(endpoints.downloadAuthority, ({ params }) => downloadAuthority(deps, params.name)),
  ];
}
