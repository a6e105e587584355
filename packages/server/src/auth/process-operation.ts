import type { Job, Outcome, Queue } from '../platform/jobs/jobs.ts';
import { readCertificate } from '../platform/x509/certificate.ts';
import type { AuthDeps } from './deps.ts';
import { judgeSignature } from './judge-signature.ts';
import { judgeToken } from './judge-token.ts';
import type { Ended, Judgement } from './judgement.ts';
import { type Operation, PROCESS_QUEUE, type Submission } from './operation.ts';
import { recordSuccess } from './record-success.ts';
import { LONGEST_PROCESSING } from './rules.ts';
import { CANCELLED, UNKNOWN_FAILURE } from './statuses.ts';
import { endOperations, findOperations } from './store.ts';

type Deps = Pick<AuthDeps, 'db' | 'tokens' | 'clock' | 'keys' | 'registries' | 'checkTrust' | 'log'>;

interface Judged {
  reference: string;
  outcome: Outcome;
  judgement: Ended | undefined;
}

function judgeAgain(deps: Deps, operation: Operation, submission: Submission, now: number): Promise<Judgement> {
  if (submission.kind === 'token') return judgeToken(deps, operation, submission, now, deps.db);
  const [first, ...others] = submission.certificates;
  const signer = readCertificate(Buffer.from(first as string, 'base64'));
  return judgeSignature(deps, operation, { signer, others, verifyChain: submission.verifyChain }, now, deps.db);
}

async function judge(deps: Deps, operation: Operation, submission: Submission, now: number): Promise<Judgement> {
  const deadline = operation.startedAt + LONGEST_PROCESSING;
  // Nobody could redeem it any more.
  if (now >= deadline) return { end: CANCELLED };
  const judgement = await judgeAgain(deps, operation, submission, now);
  // Ends with the last try instead of after it, while the authentication token still lets the client see it.
  return 'retryAt' in judgement && judgement.retryAt >= deadline ? { end: CANCELLED } : judgement;
}

async function judgeJob(deps: Deps, job: Job<Submission>, operations: ReadonlyMap<string, Operation>): Promise<Judged> {
  const { reference } = job.payload;
  const operation = operations.get(reference);
  const done: Judged = { reference, outcome: { done: true }, judgement: undefined };
  // Ended already: an earlier try was killed between its commit and the end of its job.
  if (operation?.status !== 100) return done;
  try {
    const judgement = await judge(deps, operation, job.payload, deps.clock.now());
    if ('retryAt' in judgement) return { ...done, outcome: judgement };
    return { ...done, judgement };
  } catch (error) {
    return { ...done, outcome: { failed: error } };
  }
}

/** Writes all ends of a batch in one transaction, with what a success brings along. Safe to run twice. */
async function writeEnds(deps: Deps, judged: readonly Judged[]): Promise<void> {
  const ended = judged.filter((one): one is Judged & { judgement: Ended } => one.judgement !== undefined);
  if (ended.length === 0) return;
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    const written = await endOperations(
      tx,
      ended.map(({ reference, judgement }) => ({
        reference,
        status: judgement.end.status,
        details: judgement.end.details,
        subject: judgement.subject,
        systemToken: judgement.systemToken,
      })),
    );
    const fresh = ended.filter(({ reference }) => written.has(reference)).map(({ judgement }) => judgement);
    await recordSuccess(deps, tx, fresh, now);
  });
}

/** Takes operations that had to wait from 100 to their end; polling only reads. */
export function processQueue(deps: Deps): Queue<Submission> {
  return {
    name: PROCESS_QUEUE,
    batch: 20,
    concurrency: 4,
    leaseMs: 60_000,
    maxAttempts: 5,
    backoff: { firstMs: 500, longestMs: 10_000 },
    async handle(jobs) {
      const operations = await findOperations(
        deps.db,
        jobs.map(({ payload }) => payload.reference),
      );
      const judged = await Promise.all(jobs.map((job) => judgeJob(deps, job, operations)));
      await writeEnds(deps, judged);
      return judged.map(({ outcome }) => outcome);
    },
    async parked({ payload }) {
      const { status, details } = UNKNOWN_FAILURE;
      const { reference } = payload;
      await endOperations(deps.db, [{ reference, status, details, subject: undefined, systemToken: undefined }]);
    },
  };
}
