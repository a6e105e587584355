import { randomBytes } from 'node:crypto';

/** Time, waiting and randomness of the client, in one place so that tests and other runtimes can bring their own. */
export interface Environment {
  now(): number;
  wait(milliseconds: number): Promise<void>;
  /** Unpredictable bytes. */
  bytes(length: number): Buffer;
}

export const systemEnvironment: Environment = {
  now: () => Date.now(),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  bytes: (length) => randomBytes(length),
};
