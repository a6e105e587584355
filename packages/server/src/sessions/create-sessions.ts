import type { Sequencer } from '../invoices/sequencer.ts';
import type { Binding } from '../platform/binding.ts';
import type { Queue } from '../platform/jobs/jobs.ts';
import { partCleanupQueue } from './batch/delete-parts.ts';
import type { BatchDeps } from './batch/deps.ts';
import { packageQueue } from './batch/process-package.ts';
import { batchRoutes } from './batch/routes.ts';
import type { PipelineDeps } from './pipeline/pipeline.ts';
import { type RunningPipeline, type RunOptions, runPipeline } from './pipeline/run-pipeline.ts';
import type { ReceiptDeps } from './read-upo.ts';
import { sessionRoutes } from './routes.ts';

export interface Sessions {
  bindings: Binding[];
  queues: Queue<never>[];
  pipeline: RunningPipeline;
}

type Deps = Omit<BatchDeps, 'intake'> &
  ReceiptDeps &
  Omit<PipelineDeps, 'undated' | 'abandoned' | 'turns'> & { sequencer: Sequencer };

/** The capability, assembled: endpoints, the queue of packages, and the pipeline that carries what they take to a verdict. */
export async function createSessions(deps: Deps, options: RunOptions): Promise<Sessions> {
  const pipeline = runPipeline(deps, deps.sequencer, options);
  const full = { ...deps, intake: pipeline.intake };
  return {
    bindings: [...sessionRoutes(full), ...batchRoutes(full)],
    queues: [await packageQueue(full), partCleanupQueue(full)] as Queue<never>[],
    pipeline,
  };
}
