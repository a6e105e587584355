import { createHash } from 'node:crypto';
import { CERTIFICATE_YEARS, LIFETIMES } from '@kwit/contract/limits';
import { ENROLLMENT_STATUS } from '@kwit/contract/statuses';
import type { Queryable } from '../platform/db/database.ts';
import type { Queue } from '../platform/jobs/jobs.ts';
import { canonicalSpki, readCertificationRequest } from '../platform/x509/certification-request.ts';
import { makeCertificate, randomSerial, yearsLater } from '../platform/x509/make-certificate.ts';
import { authorityOf, findAuthority, listPath } from './authority.ts';
import type { CertificatesDeps } from './deps.ts';
import { claimKey, findEnrollment, findKeyHolder, settleEnrollment } from './enrollment-store.ts';
import { contentsOf } from './issue-profile.ts';
import type { CertificateIntent, Enrollment } from './model.ts';
import { requestList } from './publish-list.ts';
import { abandonIntent, completeIntent, countOf, findIntent, insertIntent, lockOwner } from './store.ts';

export const ENROLLMENT_QUEUE = 'certificates.enroll';

const [KEY_TAKEN, LIMIT_REACHED] = ENROLLMENT_STATUS[400].details as readonly [string, string];

/** From the request to a certificate or a refusal. Safe to run twice: what was recorded before a crash is taken up again. */
export async function processEnrollment(deps: CertificatesDeps, reference: string): Promise<void> {
  const enrollment = await findEnrollment(deps.database, reference);
  if (enrollment?.status !== 100) return;
  // Before the transaction: inside it a second connection might never come.
  const { maxCertificates } = await deps.limitsOf(enrollment.owner);
  const intent = await deps.database.transaction((tx) => recordIntent(deps, tx, enrollment, maxCertificates));
  if (!intent) return;

  const issuer = findAuthority(deps.keys, intent.authority);
  if (!issuer) throw new Error(`the authority ${intent.authority} is gone`);
  const address = `${enrollment.serviceAddress}${listPath(issuer.id)}`;
  const der = await makeCertificate(contentsOf(intent, issuer.certificate, address), issuer.privateKey);
  const fingerprint = createHash('sha256').update(der).digest('hex').toUpperCase();
  await deps.database.transaction(async (tx) => {
    await completeIntent(tx, intent.serial, der, fingerprint);
    await settleEnrollment(tx, reference, 200);
  });
}

/** Serial number, key and contents are decided and committed before anything is signed. Undefined: refused. */
async function recordIntent(
  deps: CertificatesDeps,
  tx: Queryable,
  enrollment: Enrollment,
  maxCertificates: number,
): Promise<CertificateIntent | undefined> {
  const { reference, owner, type, name, subject, requestedAt } = enrollment;
  const now = deps.clock.now();
  await lockOwner(tx, owner);
  const earlier = await findIntent(tx, reference);
  if (earlier) return earlier;

  const { key, spki } = readCertificationRequest(enrollment.csr);
  if (!key) throw new Error(`the request ${reference} was accepted with a key that cannot be read`);
  const spkiHash = createHash('sha256').update(canonicalSpki(key.publicKey)).digest();
  const isTaken = async () => {
    const holder = await findKeyHolder(tx, spkiHash);
    return holder !== undefined && (holder.type !== owner.type || holder.value !== owner.value);
  };
  if (await isTaken()) return refuseRequest(tx, reference, KEY_TAKEN);
  const { active } = await countOf(tx, owner, now - LIFETIMES.enrollmentWindow, now);
  if (active >= maxCertificates) return refuseRequest(tx, reference, LIMIT_REACHED);
  await claimKey(tx, spkiHash, owner);
  // Somebody else may have claimed it between the look and the claim.
  if (await isTaken()) return refuseRequest(tx, reference, KEY_TAKEN);

  const validFrom = Math.floor((enrollment.validFrom ?? now) / 1000) * 1000;
  const intent = {
    enrollment: reference,
    owner,
    type,
    name,
    subject,
    spki,
    authority: authorityOf(deps.keys.signingKey('CertificateAuthority')).id,
    validFrom,
    validTo: yearsLater(validFrom, CERTIFICATE_YEARS),
    requestedAt,
  };
  for (;;) {
    const numbered = { ...intent, serial: randomSerial(deps.random).toString('hex').toUpperCase() };
    if (await insertIntent(tx, numbered)) return numbered;
  }
}

async function refuseRequest(tx: Queryable, reference: string, why: string): Promise<undefined> {
  await settleEnrollment(tx, reference, 400, [why]);
  return undefined;
}

/** Three failures end a request with 550. */
export function enrollmentQueue(deps: CertificatesDeps): Queue<{ reference: string }> {
  return {
    name: ENROLLMENT_QUEUE,
    batch: 10,
    concurrency: 2,
    leaseMs: 30_000,
    maxAttempts: 3,
    backoff: { firstMs: 1_000, longestMs: 10_000 },
    handle: (jobs) =>
      Promise.all(
        jobs.map(async ({ payload }) => {
          try {
            await processEnrollment(deps, payload.reference);
            return { done: true } as const;
          } catch (error) {
            return { failed: error };
          }
        }),
      ),
    async parked({ payload }) {
      await deps.database.transaction(async (tx) => {
        const authority = await abandonIntent(tx, payload.reference, deps.clock.now());
        if (authority) await requestList(deps, tx, authority);
        await settleEnrollment(tx, payload.reference, 550, ENROLLMENT_STATUS[550].details);
      });
    },
  };
}
