import type { KeyObject } from 'node:crypto';
import * as endpoints from '@kwit/contract/certificate-endpoints';
import type { Input, Output } from '@kwit/contract/endpoint';
import type { CertificateType, RevocationReason } from '@kwit/contract/enumerations';
import {
  type CertificateKey,
  type CertificateSubject,
  makeCertificateKey,
  makeCertificationRequest,
} from './certification-request.ts';
import { type ItemOf, type Listing, numberedListing } from './listing.ts';
import type { Transport } from './transport.ts';
import { type WaitOptions, waitFor } from './wait.ts';

export type Enrollment = Output<typeof endpoints.getEnrollment>;
export type CertificateInfo = ItemOf<typeof endpoints.queryCertificates, 'certificates'>;

/** A certificate as it is kept: `certificate` is its DER. */
export interface RetrievedCertificate {
  serialNumber: string;
  name: string;
  type: CertificateType;
  certificate: Buffer;
}

/** A certificate with its key: fit for `loginBySignature` (Authentication) or for signing links (Offline). */
export interface ObtainedCertificate extends RetrievedCertificate {
  privateKey: KeyObject;
}

export interface ObtainRequest {
  /** Shown in lists; 5 to 100 letters, digits, spaces, hyphens and underscores. */
  name: string;
  type: CertificateType;
  /** A key that exists already, or the kind of a new one; default `ec`. */
  key?: KeyObject | CertificateKey;
  /** Start of validity; default the moment of issuance. */
  validFrom?: string;
  wait?: WaitOptions;
}

/** Certificates of the subject that is logged in, whatever the context. Closed to logins by system token. */
export interface Certificates {
  /** How many requests and certificates are left. */
  limits(): Promise<Output<typeof endpoints.getCertificateLimits>>;
  /** What the subject of a request must be. */
  data(): Promise<CertificateSubject>;
  /**
   * Makes a key (unless one is given) and a request here, has it certified, and waits for the certificate.
   * @example const { certificate, privateKey } = await login.certificates.obtain({ name: 'Night job', type: 'Authentication' });
   */
  obtain(request: ObtainRequest): Promise<ObtainedCertificate>;
  /** Sends a request that was made elsewhere; `csr` is Base64 of its DER. */
  enroll(
    request: Input<typeof endpoints.enrollCertificate, 'body'>,
  ): Promise<Output<typeof endpoints.enrollCertificate>>;
  enrollment(referenceNumber: string): Promise<Enrollment>;
  /** Until the certificate is there; gives its serial number. Throws `OperationFailed` when the request was refused. */
  waitFor(referenceNumber: string, options?: WaitOptions): Promise<string>;
  /** At most ten at once; unknown ones and those of others are left out. */
  retrieve(serialNumbers: readonly string[]): Promise<RetrievedCertificate[]>;
  /** Newest first. */
  list(
    filter?: Input<typeof endpoints.queryCertificates, 'body'>,
    query?: { pageSize?: number },
  ): Listing<Output<typeof endpoints.queryCertificates>, CertificateInfo>;
  /** For good. */
  revoke(serialNumber: string, reason?: RevocationReason): Promise<void>;
}

/** `transport` presents the access token with every request. */
export function createCertificates(transport: Transport): Certificates {
  const enrollment = (referenceNumber: string) =>
    transport.call(endpoints.getEnrollment, { params: { referenceNumber } });
  const certificates: Certificates = {
    limits: () => transport.call(endpoints.getCertificateLimits, {}),
    data: () => transport.call(endpoints.getEnrollmentData, {}),
    enroll: (body) => transport.call(endpoints.enrollCertificate, { body }),
    enrollment,
    async waitFor(referenceNumber, options) {
      const operation = 'certificate request';
      const awaited = { operation, referenceNumber, read: () => enrollment(referenceNumber) };
      const ended = await waitFor(transport.environment, { ...awaited, statusOf: ({ status }) => status }, options);
      if (ended.certificateSerialNumber === undefined)
        throw new Error(`The service ended the ${operation} ${referenceNumber} without a serial number.`);
      return ended.certificateSerialNumber;
    },
    async retrieve(serialNumbers) {
      const body = { certificateSerialNumbers: [...serialNumbers] };
      const answer = await transport.call(endpoints.retrieveCertificates, { body });
      return answer.certificates.map((one) => ({
        serialNumber: one.certificateSerialNumber,
        name: one.certificateName,
        type: one.certificateType,
        certificate: Buffer.from(one.certificate, 'base64'),
      }));
    },
    list: (body = {}, query = {}) =>
      numberedListing(transport, endpoints.queryCertificates, { body, query }, 'certificates'),
    revoke: (certificateSerialNumber, revocationReason) =>
      transport.call(endpoints.revokeCertificate, {
        params: { certificateSerialNumber },
        ...(revocationReason && { body: { revocationReason } }),
      }),
    async obtain({ name, type, key = 'ec', validFrom, wait }) {
      const privateKey = typeof key === 'string' ? makeCertificateKey(key) : key;
      const csr = makeCertificationRequest(await certificates.data(), privateKey).toString('base64');
      const { referenceNumber } = await certificates.enroll({
        certificateName: name,
        certificateType: type,
        csr,
        ...(validFrom !== undefined && { validFrom }),
      });
      const serialNumber = await certificates.waitFor(referenceNumber, wait);
      const [certificate] = await certificates.retrieve([serialNumber]);
      if (!certificate) throw new Error(`The service issued ${serialNumber} and does not hand it out.`);
      return { ...certificate, privateKey };
    },
  };
  return certificates;
}
