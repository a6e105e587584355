import type { SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { type Certificate, CertificateUnreadable, readCertificate } from '../platform/x509/certificate.ts';
import type { AuthDeps } from './deps.ts';
import type { Judgement, OperationToJudge } from './judgement.ts';
import { ISSUER_RETRY } from './rules.ts';
import { BLOCKED, badCertificate, DECEASED, type End, NO_PERMISSIONS, SUCCESS } from './statuses.ts';

type Deps = Pick<AuthDeps, 'registries' | 'checkTrust' | 'log'>;

/** The certificates of a signature: the signer read, the others (Base64 DER) only when a chain has to be built. */
export interface SignatureEvidence {
  signer: Certificate;
  others: readonly string[];
  verifyChain: boolean;
}

const LONGEST_PROVIDER_NAME = 256;

/** A certificate that was enclosed and cannot be read is of no use for a chain; the signer itself was read at submission. */
function readOthers(encoded: readonly string[]): Certificate[] {
  return encoded.flatMap((text) => {
    try {
      return [readCertificate(Buffer.from(text, 'base64'))];
    } catch (error) {
      if (error instanceof CertificateUnreadable) return [];
      throw error;
    }
  });
}

/** State in our own registry; the fingerprint keeps a copy of issuer and serial number from passing. */
async function judgeInternal(deps: Deps, signer: Certificate, on: Queryable): Promise<SubjectIdentifier | End> {
  const row = await deps.registries.internalCertificate(signer.serialHex, on);
  if (row === undefined || row.fingerprint !== signer.fingerprint || row.type !== 'Authentication')
    return badCertificate('Niepoprawny certyfikat');
  switch (row.status) {
    case 'Revoked':
      return badCertificate('Certyfikat odwołany');
    case 'Blocked':
      return badCertificate('Certyfikat zawieszony');
    case 'Expired':
      return badCertificate('Nieważny certyfikat');
    case 'Active':
      return row.subject;
  }
}

/** Whether somebody outside has to be asked: the issuer of a certificate that is not our own. */
export function asksOutside(operation: Pick<OperationToJudge, 'method'>, evidence: SignatureEvidence): boolean {
  return evidence.verifyChain && operation.method !== 'InternalCertificate';
}

/** The checks of a login by signature that come after its acceptance, in the order of the interface. */
export async function judgeSignature(
  deps: Deps,
  operation: OperationToJudge,
  evidence: SignatureEvidence,
  now: number,
  on: Queryable,
): Promise<Judgement> {
  const { signer, others } = evidence;
  const isInternal = operation.method === 'InternalCertificate';
  // The last second of validity counts to its end.
  if (now < signer.notBefore || now >= signer.notAfter + 1000) return { end: badCertificate('Nieważny certyfikat') };
  if (asksOutside(operation, evidence)) {
    const verdict = await deps.checkTrust(signer, readOthers(others), now);
    if (verdict.trusted !== true)
      deps.log.info({ operation: operation.reference, why: verdict.why }, 'a login certificate is not trusted');
    if (verdict.trusted === 'unknown') return { retryAt: now + ISSUER_RETRY };
    if (!verdict.trusted) return { end: badCertificate(verdict.detail) };
  }
  let subject = operation.subject;
  if (isInternal) {
    const found = await judgeInternal(deps, signer, on);
    if ('status' in found) return { end: found };
    subject = found;
  }
  if (subject === undefined) throw new Error(`the operation ${operation.reference} has no subject`);

  const { registries } = deps;
  const { context } = operation;
  const endsFor = (end: End): Judgement => ({ end, subject });
  const standing = await registries.standingOf(subject, context, now, on);
  if (standing.isBlocked) return endsFor(BLOCKED);
  if (standing.isDeceased) return endsFor(DECEASED);
  if (standing.permissions.length === 0) return endsFor(NO_PERMISSIONS);
  const name = operation.attributes.organizationName ?? '';
  return {
    ...endsFor(SUCCESS),
    ...(isInternal && { usedCertificate: signer.serialHex }),
    ...(context.type === 'PeppolId' && {
      provider: { id: context.value, name: name.slice(0, LONGEST_PROVIDER_NAME) },
    }),
  };
}
