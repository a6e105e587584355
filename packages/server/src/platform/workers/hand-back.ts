/** How a task tells its pool more than its result: memory to move instead of copy, or that its thread should not be used again. */
export interface HandBackOptions {
  /** Buffers inside `output` whose memory moves to the caller. */
  transfer?: readonly ArrayBuffer[];
  /** Replaces the thread after this task: WebAssembly memory grows with the largest document and never shrinks. */
  recycle?: boolean;
}

// Registered globally because a thread and the code of a task may load this file under two URLs.
const MARK = Symbol.for('kwit.workers.hand-back');

export interface HandBack<Output> extends HandBackOptions {
  readonly output: Output;
}

/** The last expression of a task: `return handBack({ bytes }, { transfer: [bytes.buffer] })`. */
export function handBack<Output>(output: Output, options: HandBackOptions): HandBack<Output> {
  const wrapped: HandBack<Output> = { ...options, output };
  Object.defineProperty(wrapped, MARK, { value: true });
  return wrapped;
}

export function isHandBack(value: unknown): value is HandBack<unknown> {
  return typeof value === 'object' && value !== null && MARK in value;
}
