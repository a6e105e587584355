// Tasks for the tests of the pool.
import { threadId } from 'node:worker_threads';
import { handBack } from './hand-back.ts';

export function double(value: number): number {
  return value * 2;
}

export async function doubleLater(value: number): Promise<number> {
  await Promise.resolve();
  return value * 2;
}

export function hang(): never {
  for (;;) {}
}

export function whichThread(): number {
  return threadId;
}

export function whichThreadOnce(): unknown {
  return handBack(threadId, { recycle: true });
}

class SchemaFault extends RangeError {
  override name = 'SchemaFault';
  readonly line = 7;
  readonly details = ['first', 'second'];
  readonly callback = () => {};
}

export function fail(): never {
  throw new SchemaFault('line 7 is wrong', { cause: new TypeError('inner') });
}

export function failOddly(): never {
  throw 'a string';
}

export function leave(): never {
  process.exit(3);
}

export function failOutside(): Promise<never> {
  setImmediate(() => {
    throw new Error('outside of the task');
  });
  return new Promise(() => {});
}

export function devourMemory(): number {
  const kept: unknown[] = [];
  for (;;) kept.push(new Array(10_000).fill({}));
}

/** Waits until both callers share the same memory and have arrived: only possible when they run at the same time. */
export function meet(shared: SharedArrayBuffer): number {
  const arrived = new Int32Array(shared);
  Atomics.add(arrived, 0, 1);
  Atomics.notify(arrived, 0);
  while (Atomics.load(arrived, 0) < 2) Atomics.wait(arrived, 0, 1, 10_000);
  return Atomics.load(arrived, 0);
}

/** Runs until the test opens the gate. */
export function waitForGate(shared: SharedArrayBuffer): string {
  Atomics.wait(new Int32Array(shared), 0, 0, 20_000);
  return 'passed';
}

export function fillWith(input: { bytes: ArrayBuffer; value: number }): unknown {
  new Uint8Array(input.bytes).fill(input.value);
  return handBack(input.bytes, { transfer: [input.bytes] });
}

/** Answers with the length its own copy still has after the result was sent: 0 when it moved. */
let lastSent: ArrayBuffer | undefined;
export function makeBytes(length: number): unknown {
  lastSent = new ArrayBuffer(length);
  return handBack({ bytes: lastSent }, { transfer: [lastSent] });
}
export function lengthLeftBehind(): number | undefined {
  return lastSent?.byteLength;
}

export function notCloneable(): unknown {
  return { callback: () => {} };
}
