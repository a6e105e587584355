import { createPublicKey } from 'node:crypto';
import type { Output } from '@kwit/contract/endpoint';
import { checkContextIdentifier, isCertificateSerial, isNip } from '@kwit/contract/identifiers';
import { type ParsedCertificateLink, parseCertificateLink, signedTextCandidates } from '@kwit/contract/qr-links';
import { verifyLinkText } from '@kwit/contract/qr-signature';
import type { verifyCertificateLink as endpoint } from '@kwit/contract/verification-endpoints';
import type { RegisteredCertificate } from '../certificates/registry.ts';
import type { VerificationDeps } from './deps.ts';
import { mayIssueFor } from './rules.ts';

export type CertificateLinkAnswer = Output<typeof endpoint>;

export interface CertificateCheck {
  answer: CertificateLinkAnswer;
  /** Why the certificate is not active; for people, not part of the answer for programs. */
  inactiveBecause: 'type' | 'notYet' | 'expired' | 'revoked' | undefined;
}

/**
 * Code II: the four checks of the interface, with the certificate and the rights of this moment. The invoice is not
 * looked up: it need not have been sent yet. Undefined: the path is no such link.
 */
export async function verifyCertificateLink(
  deps: VerificationDeps,
  path: string,
  hosts: readonly string[],
): Promise<CertificateCheck | undefined> {
  const link = parseCertificateLink(path);
  if (!link) return undefined;
  const { certificateSerialNumber } = link;
  const now = deps.clock.now();
  const certificate = isCertificateSerial(certificateSerialNumber)
    ? await deps.registry.registeredCertificate(certificateSerialNumber, deps.database)
    : undefined;
  if (!certificate)
    return {
      answer: {
        certificateExists: false,
        certificateActive: false,
        signatureValid: false,
        issuerAuthorized: false,
        certificateSerialNumber,
      },
      inactiveBecause: undefined,
    };
  const inactiveBecause = whyInactive(certificate, now);
  const certificateActive = inactiveBecause === undefined;
  const signatureValid = isSigned(link, certificate, [...deps.addresses, ...hosts]);
  const issuerAuthorized = await isAuthorized(deps, link, certificate, now);
  if (certificateActive && signatureValid)
    await deps.registry.internalCertificateUsed(certificateSerialNumber, now, deps.database);
  return {
    answer: {
      certificateExists: true,
      certificateActive,
      signatureValid,
      issuerAuthorized,
      certificateSerialNumber,
      commonName: certificate.commonName,
    },
    inactiveBecause,
  };
}

/** A blocked certificate is on its way to being revoked. */
function whyInactive(certificate: RegisteredCertificate, now: number): CertificateCheck['inactiveBecause'] {
  if (certificate.type !== 'Offline') return 'type';
  if (certificate.status === 'Expired') return 'expired';
  if (certificate.status !== 'Active') return 'revoked';
  return certificate.validFrom > now ? 'notYet' : undefined;
}

function isSigned(link: ParsedCertificateLink, certificate: RegisteredCertificate, hosts: readonly string[]): boolean {
  const { hash, signature } = link;
  if (!hash || !signature) return false;
  const key = createPublicKey({ key: certificate.spki, format: 'der', type: 'spki' });
  return signedTextCandidates(link, hosts).some((text) => verifyLinkText(key, text, signature));
}

async function isAuthorized(
  deps: VerificationDeps,
  link: ParsedCertificateLink,
  { owner }: RegisteredCertificate,
  now: number,
): Promise<boolean> {
  const { contextType, contextValue, sellerNip } = link;
  if (!checkContextIdentifier(contextType, contextValue) || !isNip(sellerNip)) return false;
  const question = { context: { type: contextType, value: contextValue }, subject: owner, sellerNip };
  const [facts] = await deps.issuingFacts(deps.database, [question], now);
  return facts !== undefined && mayIssueFor(question, facts);
}
