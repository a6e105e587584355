import type { Environment } from '@kwit/contract/enumerations';
import { isPassing } from '../../platform/jobs/passing.ts';
import type { MasterKey } from '../../platform/keys/master-key.ts';
import type { WorkerPool } from '../../platform/workers/pool.ts';
import type { LimitsOf } from '../deps.ts';
import type { Claimed } from './claim.ts';
import type { Judged, SentContent } from './judge-contents.ts';
import { type SettleDeps, type Settled, settle, UNKNOWN_ERROR, UNREADABLE } from './settle.ts';
import { storedContent } from './stored-content.ts';
import { judgeContentsTask } from './tasks.ts';

export interface PipelineDeps extends SettleDeps {
  environment: Environment;
  schemaFolder: string;
  masterKey: MasterKey;
  pool: WorkerPool;
  limitsOf: LimitsOf;
  /** Called after accepted invoices were committed without a storage date: the sequencer has to make them visible. */
  undated: () => void;
  /** Called when a batch failed as a whole, most likely with the database: these wait for their lease unless they are given back. */
  abandoned: (ids: readonly string[]) => void;
}

const DEADLINE_MS = 30_000;
/** An invoice that breaks its worker this often is given up with 500, so that nothing stays in progress for ever. */
const MAX_ATTEMPTS = 4;

/** Takes claimed invoices from acceptance to their verdict. */
export async function processBatch(deps: PipelineDeps, claimed: readonly Claimed[]): Promise<void> {
  if (claimed.length === 0) return;
  try {
    const judged = await judgeAll(deps, claimed);
    await settleAll(
      deps,
      claimed.map((c, index) => ({ claimed: c, result: judged[index] })),
    );
  } catch (error) {
    // Not those that were tried often: what fails again and again does so once a lease.
    deps.abandoned(claimed.filter((c) => c.attempts < MAX_ATTEMPTS).map((c) => c.id));
    throw error;
  }
}

/** Records a batch in one transaction; when one of its invoices cannot be recorded, one by one, so that it does not hold up the others. */
async function settleAll(deps: PipelineDeps, batch: readonly Settled[]): Promise<void> {
  let undated = 0;
  try {
    undated = await settle(deps, batch);
  } catch (error) {
    if (isPassing(error)) throw error;
    for (const one of batch) undated += await settleAlone(deps, one);
  }
  if (undated > 0) deps.undated();
}

/** Tried again after the lease, then given up with 500. */
async function settleAlone(deps: PipelineDeps, one: Settled): Promise<number> {
  try {
    return await settle(deps, [one]);
  } catch (error) {
    if (isPassing(error)) throw error;
    return one.claimed.attempts < MAX_ATTEMPTS ? 0 : settle(deps, [{ claimed: one.claimed, result: UNKNOWN_ERROR }]);
  }
}

type Result = Settled['result'];

async function judgeAll(deps: PipelineDeps, claimed: readonly Claimed[]): Promise<Result[]> {
  const contents = await Promise.all(claimed.map((c) => storedContent(deps, c)));
  const readable = claimed.flatMap((c, index) => {
    const content = contents[index];
    return content ? [{ index, content, attempts: c.attempts }] : [];
  });
  const results: Result[] = claimed.map(() => UNREADABLE);
  const judged = await judgeReadable(deps, readable);
  readable.forEach(({ index }, place) => {
    results[index] = judged[place];
  });
  return results;
}

/** Judges all in one message to a thread; when that fails, one by one, so that one hostile document does not take others down. */
async function judgeReadable(
  deps: PipelineDeps,
  sent: readonly { content: SentContent; attempts: number }[],
): Promise<Result[]> {
  if (sent.length === 0) return [];
  try {
    return await judge(
      deps,
      sent.map(({ content }) => content),
    );
  } catch {
    return Promise.all(
      sent.map(async ({ content, attempts }) => {
        try {
          return (await judge(deps, [content]))[0];
        } catch {
          // Tried again after the lease, then given up.
          return attempts >= MAX_ATTEMPTS ? UNKNOWN_ERROR : undefined;
        }
      }),
    );
  }
}

function judge(deps: PipelineDeps, contents: readonly SentContent[]): Promise<Judged[]> {
  const input = { environment: deps.environment, now: deps.clock.now(), schemaFolder: deps.schemaFolder, contents };
  return deps.pool.run(judgeContentsTask, input, { deadlineMs: DEADLINE_MS });
}
