import { PoolClosed, PoolFull, type RunOptions, type Task, type WorkerPool } from './pool.ts';
import { type Job, startThread, type Thread } from './thread.ts';

export interface PoolOptions {
  /** Most threads at once; they are started when there is work for them. */
  size: number;
  /** Most tasks waiting for a thread; one more is refused with `PoolFull`. */
  maxWaiting: number;
  /** For tasks that name none. */
  deadlineMs?: number;
  /** JavaScript heap of a thread (WebAssembly memory does not count); beyond it the thread dies, the process does not. */
  maxOldGenerationMb?: number;
  log?: { warn(details: object, message: string): void };
}

const DEFAULT_DEADLINE_MS = 60_000;

export function createPool(options: PoolOptions): WorkerPool {
  const idle: Thread[] = [];
  const busy = new Set<Thread>();
  const waiting: Job[] = [];
  let lastId = 0;
  let isClosed = false;
  let drained: (() => void) | undefined;

  function spawn(): Thread {
    const thread = startThread(
      {
        idle: () => release(thread, true),
        gone: (why, error) => {
          if (why !== 'recycled' && why !== 'ended') {
            options.log?.warn({ why, error: error?.message }, 'a pool thread is replaced');
          }
          release(thread, false);
        },
      },
      options.maxOldGenerationMb,
    );
    return thread;
  }

  function release(thread: Thread, reusable: boolean): void {
    const wasBusy = busy.delete(thread);
    if (reusable) idle.push(thread);
    else if (!wasBusy && idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
    dispatch();
  }

  function dispatch(): void {
    while (waiting.length > 0 && busy.size < options.size) {
      const job = waiting.shift() as Job;
      // Last in, first out: the warmest thread works, the others may stay unstarted.
      const thread = idle.pop() ?? spawn();
      busy.add(thread);
      thread.start(job);
    }
    if (busy.size === 0 && waiting.length === 0) drained?.();
  }

  return {
    run<Input, Output>(task: Task<Input, Output>, input: Input, run: RunOptions = {}): Promise<Output> {
      if (isClosed) return Promise.reject(new PoolClosed('the pool of threads is closed'));
      if (busy.size >= options.size && waiting.length >= options.maxWaiting) {
        return Promise.reject(new PoolFull(`${waiting.length} tasks already wait for ${options.size} threads`));
      }
      return new Promise<Output>((resolve, reject) => {
        lastId += 1;
        waiting.push({
          message: { id: lastId, module: task.module.href, name: task.name, input },
          transfer: run.transfer ?? [],
          deadlineMs: run.deadlineMs ?? options.deadlineMs ?? DEFAULT_DEADLINE_MS,
          resolve: resolve as (output: unknown) => void,
          reject,
        });
        dispatch();
      });
    },
    stats: () => ({ size: options.size, busy: busy.size, waiting: waiting.length }),
    async close() {
      isClosed = true;
      // Everything accepted is finished; deadlines bound how long that takes.
      if (busy.size > 0 || waiting.length > 0) {
        await new Promise<void>((resolve) => {
          drained = resolve;
        });
      }
      await Promise.all([...idle].map((thread) => thread.end()));
    },
  };
}
