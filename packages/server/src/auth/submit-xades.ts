import { hash } from 'node:crypto';
import { isPesel } from '@kwit/contract/identifiers';
import { detail, Refusal, refuse } from '@kwit/contract/refusal';
import { createMemory } from '../platform/memory.ts';
import type { Certificate } from '../platform/x509/certificate.ts';
import { CertificateUnreadable, readCertificate } from '../platform/x509/certificate.ts';
import { acceptSubmission, type InitAnswer } from './accept-submission.ts';
import type { AuthDeps } from './deps.ts';
import { attributesOf, enrollableName, fitsContext, type Identity, identify } from './identity.ts';
import { asksOutside, judgeSignature } from './judge-signature.ts';
import { isOwnIssuer } from './own-issuer.ts';
import { challengeState } from './rules.ts';
import { findChallenge } from './store.ts';
import type { AuthTokenRequest, VerifiedSignature, XadesOutcome } from './xades/outcome.ts';
import { verifyInWorker } from './xades/verify-in-worker.ts';

export interface XadesSubmission {
  document: Buffer;
  verifyCertificateChain: boolean;
  /** The feature `enforce-xades-compliance`: strict even where the configuration is lenient. */
  enforceCompliance: boolean;
}

export interface XadesAnswer {
  answer: InitAnswer;
  warnings: readonly { code: string; message: string }[];
}

/** A certificate takes a few kilobytes. */
const KEPT_SIGNERS = 1_000;

type Deps = Pick<
  AuthDeps,
  | 'db'
  | 'store'
  | 'tokens'
  | 'jobs'
  | 'clock'
  | 'references'
  | 'keys'
  | 'pool'
  | 'settings'
  | 'registries'
  | 'checkTrust'
  | 'log'
>;

interface Accepted {
  signature: VerifiedSignature;
  signer: Certificate;
  identity: Extract<Identity, { method: unknown }>;
}

/** Login with a signed document: its checks in the order of the interface. */
export async function submitXades(deps: Deps, submission: XadesSubmission): Promise<XadesAnswer> {
  const { settings } = deps;
  const mode = settings.xadesMode === 'lenient' && !submission.enforceCompliance ? 'lenient' : 'strict';
  const outcome = await verifyInWorker(deps.pool, {
    bytes: submission.document,
    mode,
    allowSha1: settings.allowSha1,
  });
  if ('refusal' in outcome) throw new Refusal([outcome.refusal]);
  const { request } = outcome;

  let accepted: Accepted;
  try {
    accepted = judge(deps, outcome);
  } catch (error) {
    // The challenge is asked about first (step 10); a good signature finds out about it when it consumes it.
    if (error instanceof Refusal) await checkChallenge(deps, request.challenge);
    throw error;
  }
  const { identity, signature, signer } = accepted;
  const reference = deps.references.next('AU');
  const startedAt = deps.clock.now();
  const evidence = {
    signer,
    others: signature.otherCertificates.map((der) => Buffer.from(der).toString('base64')),
    verifyChain: settings.environment !== 'TEST' || submission.verifyCertificateChain,
  };
  const answer = await acceptSubmission(deps, {
    operation: {
      reference,
      startedAt,
      method: identity.method,
      context: request.context,
      subject: identity.subject,
      attributes: identity.attributes,
      subjectName: signature.trustedProfile ? undefined : enrollableName(signer.subject),
      allowedIps: request.policy,
      documentHash: Buffer.from(outcome.documentSha256, 'base64'),
      challengeMs: undefined,
    },
    challenge: request.challenge,
    judge: asksOutside(identity, evidence)
      ? undefined
      : (operation) => judgeSignature(deps, operation, evidence, startedAt, deps.db),
    submission: {
      reference,
      kind: 'signature',
      certificates: [signer.der.toString('base64'), ...evidence.others],
      verifyChain: evidence.verifyChain,
    },
  });
  if (answer === undefined) {
    await checkChallenge(deps, request.challenge);
    throw challengeRefused(request.challenge, 'used');
  }
  return { answer, warnings: signature.warnings };
}

const CHALLENGE_TEXTS = {
  unknown: 'Wyzwanie {challenge} nie istnieje.',
  expired: 'Wyzwanie {challenge} wygasło: jest ważne 10 minut od wydania.',
  used: 'Wyzwanie {challenge} zostało już użyte.',
} as const;

function challengeRefused(challenge: string, state: keyof typeof CHALLENGE_TEXTS): Refusal {
  return refuse(21111, detail(CHALLENGE_TEXTS[state], { challenge }));
}

async function checkChallenge(deps: Deps, challenge: string): Promise<void> {
  const state = challengeState(await findChallenge(deps.db, challenge), deps.clock.now());
  if (state !== 'live') throw challengeRefused(challenge, state);
}

/** Steps 11 to 17; throws the Refusal of the first that fails. */
function judge(deps: Deps, outcome: Exclude<XadesOutcome, { refusal: unknown }>): Accepted {
  const { verdict, request } = outcome;
  if ('refusal' in verdict) throw new Refusal([verdict.refusal]);
  const signature = verdict.accepted;
  const signer = readSigner(signature.signingCertificate);
  const isInternal = isOwnIssuer(deps.keys.authorities(), signer);
  const identity = identify(
    {
      attributes: attributesOf(signer.subject),
      fingerprint: signer.fingerprint,
      isInternal,
      trustedProfile: signature.trustedProfile,
    },
    request.subjectIdentifierType,
    isPesel,
  );
  if ('refused' in identity && identity.refused === 'certificate') throw attributesRefused(identity);
  checkAdmission(deps, signer, signature, isInternal);
  if ('refused' in identity) throw refuse(21406, identity.why);
  checkContext(request, identity);
  return { signature, signer, identity };
}

/** Certificates that logged in before, by their bytes. What is read from bytes never changes; whether it is valid now is asked every time. */
const signers = createMemory<Certificate>(KEPT_SIGNERS);

function readSigner(der: Uint8Array): Certificate {
  try {
    return signers.recall(hash('sha256', der, 'base64'), () => readCertificate(Buffer.from(der)));
  } catch (error) {
    if (error instanceof CertificateUnreadable) throw refuse(21115, error.message);
    throw error;
  }
}

function attributesRefused(identity: { missing: readonly string[]; excess: readonly string[] }): Refusal {
  const details = [];
  if (identity.missing.length > 0)
    details.push(detail('Brak wymaganych atrybutów podmiotu: {names}.', { names: identity.missing.join(', ') }));
  if (identity.excess.length > 0)
    details.push(detail('Pieczęć nie może zawierać atrybutów osoby: {names}.', { names: identity.excess.join(', ') }));
  return refuse(21115, ...details);
}

/** Self-signed certificates and unknown operators of trusted profiles come in on TEST only. */
function checkAdmission(deps: Deps, signer: Certificate, signature: VerifiedSignature, isInternal: boolean): void {
  const { environment, operatorSeals } = deps.settings;
  if (environment === 'TEST' || isInternal) return;
  if (signer.isSelfSigned)
    throw refuse(21115, detail('Certyfikat samopodpisany jest przyjmowany tylko w środowisku TEST.'));
  if (signature.trustedProfile && !operatorSeals.has(signer.fingerprint))
    throw refuse(21115, detail('Pieczęć {print} nie należy do znanego operatora.', { print: signer.fingerprint }));
}

function checkContext(request: AuthTokenRequest, identity: Accepted['identity']): void {
  if (fitsContext(identity.method, identity.attributes, request.context)) return;
  const template = 'Kontekst {type} {value} nie odpowiada certyfikatowi: {expected}.';
  const expected =
    request.context.type === 'PeppolId'
      ? 'wymagany jest certyfikat dostawcy Peppol z tym identyfikatorem w commonName'
      : 'certyfikat dostawcy Peppol otwiera tylko kontekst PeppolId';
  throw refuse(21117, detail(template, { ...request.context, expected }));
}
