import { mkdir, rm } from 'node:fs/promises';
import { BATCH_SESSION_STATUS, KEY_DETAIL } from '@kwit/contract/statuses';
import { clearLeftovers, forget, temporaryFile } from '../../platform/blobs/temporary-files.ts';
import type { Queue } from '../../platform/jobs/jobs.ts';
import { openContentKey } from '../content-key.ts';
import type { Session } from '../model.ts';
import { findSession } from '../store.ts';
import { type BatchDeps, PACKAGES, PART_CLEANUP, type SessionJob } from './deps.ts';
import { expandPackage } from './expand-package.ts';
import { joinParts } from './join-parts.ts';
import {
  abandonPackage,
  beginExpansion,
  countExpanded,
  failPackage,
  findPackage,
  listParts,
  type Package,
  type Part,
} from './store.ts';
import { checkPackage, leavePackage, type Unpacking } from './unpack.ts';

/** Packages opened at once on one node; unpacking is a thread's work, judging everybody's. */
const PACKAGES_AT_ONCE = 2;

/** Carries closed packages from their parts to invoices, or to the status that says what was wrong. */
export async function packageQueue(deps: BatchDeps): Promise<Queue<SessionJob>> {
  await mkdir(deps.scratch, { recursive: true });
  await clearLeftovers(deps.scratch);
  return {
    name: PACKAGES,
    batch: 1,
    concurrency: PACKAGES_AT_ONCE,
    leaseMs: 30_000,
    maxAttempts: 6,
    async handle(jobs, signal) {
      for (const { payload } of jobs) await processPackage(deps, payload.session, signal);
      return undefined;
    },
    async parked({ payload }) {
      await deps.database.transaction(async (tx) => {
        await abandonPackage(tx, payload.session, deps.clock.now());
        await deps.jobs.add(tx, [{ queue: PART_CLEANUP, payload }]);
      });
    },
  };
}

interface Failure {
  status: keyof typeof BATCH_SESSION_STATUS;
  details: readonly string[];
}

export async function processPackage(deps: BatchDeps, reference: string, signal: AbortSignal): Promise<void> {
  const session = await findSession(deps.database, reference);
  const declared = await findPackage(deps.database, reference);
  if (session?.status !== 150 || !declared) return;
  const failure = await unpack(deps, session, declared, signal);
  await deps.database.transaction(async (tx) => {
    if (failure) await failPackage(tx, reference, failure, deps.clock.now());
    await deps.jobs.add(tx, [{ queue: PART_CLEANUP, payload: { session: reference } }]);
  });
}

/** Steps 1 to 7 of the table, then the invoices. Returns what is wrong with the package as a whole. */
async function unpack(
  deps: BatchDeps,
  session: Session,
  declared: Package,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  const isSound = session.sent > 0;
  if (isSound && (await countExpanded(deps.database, session.reference)) === session.sent) return undefined;
  if (session.contentKey === null) return { status: 415, details: [KEY_DETAIL] };
  const parts = await listParts(deps.database, session.reference);
  const altered = parts.filter((part) => !part.storedHash?.equals(part.declaredHash));
  if (altered.length > 0) return { status: 405, details: altered.map(alteredText) };

  const path = temporaryFile(deps.scratch, deps.random);
  const unpacking: Unpacking = {
    pool: deps.packagePool,
    path,
    compression: declared.compression,
    limits: (await deps.limitsOf(session.context)).batchSession,
    signal,
  };
  try {
    const joined = await joinParts({
      blobs: deps.blobs,
      parts: parts.map((part) => ({ blob: part.blob ?? '', size: part.storedSize ?? 0 })),
      key: openContentKey(deps.masterKey, session.reference, session.contentKey),
      vector: session.vector,
      path,
      declared: { size: declared.fileSize, hash: declared.fileHash },
      signal,
    });
    if (joined === 'undecryptable') return { status: 435, details: [] };
    if (joined === 'unlike-declared') return { status: 430, details: [unlikeText(declared.fileHash)] };
    // Looked at once: what was found sound before a restart is the same package, by its hash.
    if (!isSound) {
      const failure = await check(deps, session, unpacking);
      if (failure) return failure;
    }
    await expandPackage(deps, session, unpacking);
    return undefined;
  } finally {
    await leavePackage(unpacking).catch(() => undefined);
    await rm(path, { force: true });
    forget(path);
  }
}

async function check(deps: BatchDeps, session: Session, unpacking: Unpacking): Promise<Failure | undefined> {
  const checked = await checkPackage(unpacking);
  const { maxInvoices } = unpacking.limits;
  if ('tooMany' in checked) return { status: 420, details: [tooManyText(maxInvoices, checked.tooMany)] };
  if (!checked.ok) return { status: 430, details: [checked.reason] };
  if (checked.files === 0) return { status: 440, details: [BATCH_SESSION_STATUS[440].details[1] ?? ''] };
  await beginExpansion(deps.database, session.reference, checked.files, deps.clock.now());
  return undefined;
}

function alteredText({ ordinal, declaredHash }: Part): string {
  return fill(BATCH_SESSION_STATUS[405].details[0], { n: ordinal, hash: declaredHash.toString('base64') });
}

function unlikeText(hash: string): string {
  return fill(BATCH_SESSION_STATUS[430].details[0], { hash });
}

function tooManyText(limit: number, n: number): string {
  return fill(BATCH_SESSION_STATUS[420].details[0], { limit, n });
}

function fill(template: string | undefined, values: Record<string, string | number>): string {
  return (template ?? '').replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}
