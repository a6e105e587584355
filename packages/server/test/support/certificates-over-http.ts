import { ApiError } from '@kwit/client';
import { type Certificates, createCertificates, type ObtainedCertificate } from '@kwit/client/certificates';
import { makeCertificateKey, makeCertificationRequest } from '@kwit/client/certification-request';
import type { Transport } from '@kwit/client/transport';
import type { CertificateType } from '@kwit/contract/enumerations';
import type { Actor } from './actors.ts';
import type { TestService } from './service.ts';

/** The client's functions with the token of an actor. */
export function certificatesOf({ transport, token }: Actor): Certificates {
  const authorized: Transport = {
    ...transport,
    call: (endpoint, input) => transport.call(endpoint, { ...input, token }),
    exchange: (endpoint, input) => transport.exchange(endpoint, { ...input, token }),
  };
  return createCertificates(authorized);
}

/** Requests, works it off, and fetches the certificate: what `obtain` of the client does, without waiting. */
export async function issue(
  service: TestService,
  actor: Actor,
  options: {
    type?: CertificateType;
    name?: string;
    validFrom?: string;
    key?: ReturnType<typeof makeCertificateKey>;
  } = {},
): Promise<ObtainedCertificate> {
  const certificates = certificatesOf(actor);
  const privateKey = options.key ?? makeCertificateKey();
  const csr = makeCertificationRequest(await certificates.data(), privateKey).toString('base64');
  const { referenceNumber } = await certificates.enroll({
    certificateName: options.name ?? 'Certyfikat testowy',
    certificateType: options.type ?? 'Authentication',
    csr,
    ...(options.validFrom !== undefined && { validFrom: options.validFrom }),
  });
  await service.drain();
  const { certificateSerialNumber = '' } = await certificates.enrollment(referenceNumber);
  const [certificate] = await certificates.retrieve([certificateSerialNumber]);
  if (!certificate) throw new Error(`nothing was issued for ${referenceNumber}`);
  return { ...certificate, privateKey };
}

/** `25003: text - detail`, `403 auth-method-not-allowed`, `410`: what the service answered instead of a success. */
export async function refused(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.problems.length > 0)
      return error.problems.map((p) => [`${p.code}: ${p.description}`, ...p.details].join(' - ')).join('; ');
    return [error.status, error.reasonCode].filter((part) => part !== undefined).join(' ');
  }
  throw new Error('nothing was refused');
}
