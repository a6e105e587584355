import { ApiError } from './api-error.ts';
import type { Environment } from './environment.ts';

/** State of anything asynchronous, as the service shows it. */
export interface Status {
  code: number;
  description: string;
  details?: readonly string[];
}

export interface WaitOptions {
  /** Given up after this time; default two minutes. */
  timeoutMs?: number;
  /** Pause after the first look, default 100 ms; every further one is half as long again. */
  firstPauseMs?: number;
  /** Longest pause, default 5 s. */
  longestPauseMs?: number;
  /** Told of every status that was read, with the whole answer. */
  onStatus?(status: Status, answer: unknown): void;
}

export interface Watched<T> {
  /** What is waited for, for messages: `login`, `invoice`. */
  operation: string;
  referenceNumber: string;
  read(): Promise<T>;
  statusOf(answer: T): Status;
}

/** The operation ended, and not well. `message` is readable as it is. */
export class OperationFailed<T = unknown> extends Error {
  readonly operation: string;
  readonly referenceNumber: string;
  readonly status: Status;
  /** The whole last answer. */
  readonly answer: T;

  constructor(awaited: Pick<Watched<T>, 'operation' | 'referenceNumber'>, status: Status, answer: T) {
    super(`The ${awaited.operation} ${awaited.referenceNumber} failed: ${statusText(status)}`);
    this.name = 'OperationFailed';
    this.operation = awaited.operation;
    this.referenceNumber = awaited.referenceNumber;
    this.status = status;
    this.answer = answer;
  }
}

/** The operation did not end in time; it may still do so. */
export class WaitTimedOut extends Error {
  readonly operation: string;
  readonly referenceNumber: string;
  /** The last status that was seen. */
  readonly status: Status | undefined;

  constructor(awaited: Pick<Watched<unknown>, 'operation' | 'referenceNumber'>, timeoutMs: number, status?: Status) {
    const seen = status ? `; it stands at ${statusText(status)}` : '';
    super(
      `The ${awaited.operation} ${awaited.referenceNumber} did not end within ${Math.round(timeoutMs / 1000)} s${seen}`,
    );
    this.name = 'WaitTimedOut';
    this.operation = awaited.operation;
    this.referenceNumber = awaited.referenceNumber;
    this.status = status;
  }
}

/** `450 Description - detail - detail`. */
export function statusText({ code, description, details = [] }: Status): string {
  return [`${code} ${description}`, ...details].join(' - ');
}

/** Below 200 every operation of the interface is under way; 200 is its success; anything above is a failure. */
const SUCCESS = 200;

/**
 * Reads until the operation is over: with growing pauses, as long as the service asks for in `Retry-After`, not beyond the deadline.
 * Throws `OperationFailed` with the status when it failed, `WaitTimedOut` when it did not end.
 */
export async function waitFor<T>(environment: Environment, awaited: Watched<T>, options: WaitOptions = {}): Promise<T> {
  const { timeoutMs = 120_000, firstPauseMs = 100, longestPauseMs = 5_000 } = options;
  const deadline = environment.now() + timeoutMs;
  let status: Status | undefined;
  for (let pause = firstPauseMs; ; pause = Math.min(Math.ceil(pause * 1.5), longestPauseMs)) {
    const last = environment.now() >= deadline;
    let asked = 0;
    try {
      const answer = await awaited.read();
      status = awaited.statusOf(answer);
      options.onStatus?.(status, answer);
      if (status.code === SUCCESS) return answer;
      if (status.code > SUCCESS) throw new OperationFailed(awaited, status, answer);
    } catch (error) {
      // The transport has repeated it already; here there is still time to wait longer.
      if (!(error instanceof ApiError) || error.status !== 429) throw error;
      asked = (error.retryAfter ?? 1) * 1000;
    }
    const remaining = deadline - environment.now();
    if (last || asked > remaining) throw new WaitTimedOut(awaited, timeoutMs, status);
    await environment.wait(Math.max(asked, Math.min(pause, Math.max(remaining, 0))));
  }
}
