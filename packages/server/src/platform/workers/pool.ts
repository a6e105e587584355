/** Threads for work that would block the event loop: XML, schemas, signatures, inflating. */
export interface WorkerPool {
  /**
   * Runs a task in a thread. The task is an exported function of a module: `(input) => output | Promise<output>`, or `handBack(output, ...)`.
   * Input and output are copied by structured clone: a `Buffer` arrives as `Uint8Array`.
   * An error of the task arrives with its name, message, stack and plain-data properties; own classes do not survive, compare `name`.
   * Rejects with `DeadlineExceeded` when it takes longer (the thread is terminated and replaced), with `PoolFull` when too many wait,
   * with `ThreadDied` when the thread ends under it.
   */
  run<Input, Output>(task: Task<Input, Output>, input: Input, options?: RunOptions): Promise<Output>;
  /** For metrics. */
  stats(): { size: number; busy: number; waiting: number };
  /** Takes nothing new, finishes what it has accepted, ends the threads. */
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

/** The task took too long; its thread was terminated. */
export class DeadlineExceeded extends Error {
  override name = 'DeadlineExceeded';
}
/** More tasks wait than the pool allows: shed the load or try again later. */
export class PoolFull extends Error {
  override name = 'PoolFull';
}
/** The thread ended under the task (memory, `process.exit`, an error outside the task). */
export class ThreadDied extends Error {
  override name = 'ThreadDied';
}
/** The pool is shutting down and takes nothing new. */
export class PoolClosed extends Error {
  override name = 'PoolClosed';
}
