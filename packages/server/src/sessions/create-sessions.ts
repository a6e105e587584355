import type { Sequencer } from '../invoices/sequencer.ts';
import type { Binding } from '../platform/binding.ts';
import type { SessionDeps } from './deps.ts';
import type { PipelineDeps } from './pipeline/pipeline.ts';
import { type RunningPipeline, type RunOptions, runPipeline } from './pipeline/run-pipeline.ts';
import type { ReceiptDeps } from './read-upo.ts';
import { sessionRoutes } from './routes.ts';

export interface Sessions {
  bindings: Binding[];
  pipeline: RunningPipeline;
}

type Deps = Omit<SessionDeps, 'wake'> & ReceiptDeps & Omit<PipelineDeps, 'accepted'> & { sequencer: Sequencer };

/** The capability, assembled: endpoints, and the pipeline that carries what they take to a verdict. */
export function createSessions(deps: Deps, options: RunOptions): Sessions {
  const pipeline = runPipeline(deps, deps.sequencer, options);
  return { bindings: sessionRoutes({ ...deps, wake: pipeline.wake }), pipeline };
}
