import { Worker } from 'node:worker_threads';
import { fromPlain } from './error-crossing.ts';
import type { TaskMessage, ThreadMessage } from './messages.ts';
import { DeadlineExceeded, ThreadDied } from './pool.ts';

/** One task on its way through a thread. */
export interface Job {
  message: TaskMessage;
  transfer: readonly ArrayBuffer[];
  deadlineMs: number;
  resolve(output: unknown): void;
  reject(error: Error): void;
}

export interface Thread {
  /** Hands the thread a job; only when it is idle. */
  start(job: Job): void;
  /** Ends the thread; its running job rejects. */
  end(): Promise<void>;
}

export interface ThreadEvents {
  /** The job is over and the thread can take another one. */
  idle(): void;
  /** The thread must not be used any more; its job, if any, is already answered. */
  gone(why: 'recycled' | 'deadline' | 'died' | 'ended', error?: Error): void;
}

/** Time a thread has to boot and to import the module of a task; only then the deadline of the task counts. */
const LOADING_MS = 60_000;

// Only what Node 24 needs to run the .ts files by itself: options of the parent (a test runner's loaders) stay out of the thread.
const EXEC_ARGV = ['--disable-warning=ExperimentalWarning'];

export function startThread(events: ThreadEvents, maxOldGenerationMb: number | undefined): Thread {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    execArgv: EXEC_ARGV,
    ...(maxOldGenerationMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: maxOldGenerationMb } }),
  });
  const loadedModules = new Set<string>();
  let job: Job | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isGone = false;
  worker.unref();

  function finish(): Job | undefined {
    clearTimeout(timer);
    worker.unref();
    const finished = job;
    job = undefined;
    return finished;
  }

  function leave(why: 'recycled' | 'deadline' | 'died' | 'ended', error?: Error): void {
    if (isGone) return;
    isGone = true;
    if (error !== undefined) finish()?.reject(error);
    events.gone(why, error);
    void worker.terminate();
  }

  function limit(milliseconds: number, doing: string, of: Job): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      leave('deadline', new DeadlineExceeded(`task '${of.message.name}' was ${doing} longer than ${milliseconds} ms`));
    }, milliseconds);
  }

  worker.on('message', (message: ThreadMessage) => {
    if (isGone || job === undefined || message.id !== job.message.id) return;
    if (message.kind === 'loaded') {
      loadedModules.add(job.message.module);
      limit(job.deadlineMs, 'running', job);
      return;
    }
    const finished = finish();
    if (message.kind === 'failed') finished?.reject(fromPlain(message.error));
    else finished?.resolve(message.output);
    if (message.kind === 'done' && message.recycle) leave('recycled');
    else events.idle();
  });
  worker.on('messageerror', (error) => leave('died', new ThreadDied('a result could not be read', { cause: error })));
  worker.on('error', (error) =>
    leave('died', new ThreadDied(`the thread failed: ${describe(error)}`, { cause: error })),
  );
  worker.on('exit', (code) => leave('died', new ThreadDied(`the thread ended with code ${code}`)));

  return {
    start(next) {
      try {
        worker.postMessage(next.message, next.transfer);
      } catch (error) {
        // The input cannot be cloned: the fault of the caller, the thread knows nothing of it.
        next.reject(error as Error);
        events.idle();
        return;
      }
      job = next;
      worker.ref();
      if (loadedModules.has(next.message.module)) limit(next.deadlineMs, 'running', next);
      else limit(LOADING_MS, 'loading its module', next);
    },
    async end() {
      leave('ended', new ThreadDied('the thread was ended'));
      await worker.terminate();
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
