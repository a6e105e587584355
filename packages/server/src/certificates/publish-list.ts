import { CRL_REASONS } from '@kwit/contract/enumerations';
import type { Queryable } from '../platform/db/database.ts';
import type { Queue } from '../platform/jobs/jobs.ts';
import { makeCrl } from '../platform/x509/make-crl.ts';
import { findAuthority, type IssuingAuthority } from './authority.ts';
import { findList, findRevoked, markStale, takeNumber, writeList } from './crl-store.ts';
import type { CertificatesDeps } from './deps.ts';

const LIST_QUEUE = 'certificates.publishList';

type Deps = Pick<CertificatesDeps, 'database' | 'clock' | 'keys' | 'jobs'>;

const HOUR = 3_600_000;
/** Validity of a list. */
const LIST_LIFE = 24 * HOUR;
/** A list with less left than this is made anew when it is asked for: what is handed out is good for half a day at least. */
const RENEW_BEFORE = 12 * HOUR;

/** Something was revoked: the list is made anew, at the latest when somebody asks for it. */
export async function requestList(deps: Pick<Deps, 'jobs' | 'clock'>, on: Queryable, authority: string): Promise<void> {
  await markStale(on, authority, deps.clock.now());
  await deps.jobs.add(on, [{ queue: LIST_QUEUE, payload: { authority } }]);
}

/** The list as it is to be handed out now. Undefined: there is no such authority, and it left no list. */
export async function currentList(deps: Deps, id: string): Promise<Buffer | undefined> {
  const stored = await findList(deps.database, id);
  const isFresh = stored?.der && !stored.stale && deps.clock.now() <= stored.nextUpdate - RENEW_BEFORE;
  if (isFresh) return stored.der;
  const authority = findAuthority(deps.keys, id);
  // The key of a withdrawn authority signs nothing any more: its last list is all there is.
  return authority ? publishList(deps, authority) : stored?.der;
}

/** One after the other for an authority: the row of its number is locked while the list is read and signed. */
async function publishList(deps: Deps, authority: IssuingAuthority): Promise<Buffer> {
  return deps.database.transaction(async (tx) => {
    const now = deps.clock.now();
    const number = await takeNumber(tx, authority.id, now);
    const revoked = await findRevoked(tx, authority.id, now);
    const nextUpdate = now + LIST_LIFE;
    const der = await makeCrl(
      {
        issuerDer: authority.certificate.subjectDer,
        issuerSpki: authority.certificate.spki,
        number,
        thisUpdate: now,
        nextUpdate,
        revoked: revoked.map(({ serial, blockedAt, reason }) => ({
          serial: Buffer.from(serial, 'hex'),
          revokedAt: blockedAt,
          reason: CRL_REASONS[reason],
        })),
      },
      authority.privateKey,
    );
    await writeList(tx, authority.id, der, nextUpdate);
    return der;
  });
}

export function listQueue(deps: Deps): Queue<{ authority: string }> {
  return {
    name: LIST_QUEUE,
    batch: 20,
    concurrency: 1,
    leaseMs: 30_000,
    maxAttempts: 10,
    async handle(jobs) {
      for (const id of new Set(jobs.map(({ payload }) => payload.authority))) await currentList(deps, id);
      return undefined;
    },
  };
}
