/** Threads for work that would block the event loop: XML, schemas, signatures, inflating. */
export interface WorkerPool {
  /**
   * Runs a task in a thread. The task is an exported function of a module: `(input) => output | Promise<output>`.
   * Rejects with `DeadlineExceeded` when it takes longer (the thread is terminated and replaced), with `PoolFull` when too many wait.
   */
  run<Input, Output>(task: Task<Input, Output>, input: Input, options?: RunOptions): Promise<Output>;
  /** For metrics. */
  stats(): { size: number; busy: number; waiting: number };
  close(): Promise<void>;
}

/** Names the module and export that run in the thread; the type parameters tie the two sides together. */
export interface Task<Input, Output> {
  module: URL;
  name: string;
  readonly types?: (input: Input) => Output;
}

export interface RunOptions {
  deadlineMs?: number;
  /** Buffers whose memory moves to the thread instead of being copied. */
  transfer?: readonly ArrayBuffer[];
}

export class DeadlineExceeded extends Error {}
export class PoolFull extends Error {}
