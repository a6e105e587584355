import { afterEach, expect, test } from 'vitest';
import { createPool, type PoolOptions } from './create-pool.ts';
import { DeadlineExceeded, PoolClosed, PoolFull, type Task, ThreadDied, type WorkerPool } from './pool.ts';

const module = new URL('./create-pool.fixture.ts', import.meta.url);
function task<Input, Output>(name: string): Task<Input, Output> {
  return { module, name };
}
const double = task<number, number>('double');
const hang = task<null, never>('hang');
const whichThread = task<null, number>('whichThread');
const waitForGate = task<SharedArrayBuffer, string>('waitForGate');

let pool: WorkerPool | undefined;
function start(options: Partial<PoolOptions> = {}): WorkerPool {
  pool = createPool({ size: 1, maxWaiting: 1_000, ...options });
  return pool;
}
afterEach(async () => {
  await pool?.close();
  pool = undefined;
});

function openGate(gate: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(gate), 0, 1);
  Atomics.notify(new Int32Array(gate), 0);
}

test('runs an exported function of a TypeScript module, plain or asynchronous', async () => {
  start();
  expect(await pool!.run(double, 21)).toBe(42);
  expect(await pool!.run(task<number, number>('doubleLater'), 4)).toBe(8);
});

test('a module or an export that does not exist rejects and leaves the thread usable', async () => {
  start();
  await expect(pool!.run(task('nothing'), null)).rejects.toThrow(/exports no function named 'nothing'/);
  await expect(pool!.run({ module: new URL('./missing.ts', module), name: 'x' }, null)).rejects.toThrow(/missing\.ts/);
  expect(await pool!.run(double, 1)).toBe(2);
});

test('a hung task is ended at its deadline and the thread is replaced', async () => {
  const replaced: unknown[] = [];
  start({ log: { warn: (details) => replaced.push(details) } });
  const before = await pool!.run(whichThread, null);
  await expect(pool!.run(hang, null, { deadlineMs: 30 })).rejects.toBeInstanceOf(DeadlineExceeded);
  const after = await pool!.run(whichThread, null);
  expect(after).not.toBe(before);
  expect(replaced).toEqual([expect.objectContaining({ why: 'deadline' })]);
});

test('the deadline of the pool counts for tasks that name none', async () => {
  start({ deadlineMs: 30 });
  await expect(pool!.run(hang, null)).rejects.toThrow("task 'hang' was running longer than 30 ms");
});

test('tasks that waited behind a hung one still run', async () => {
  start();
  const hung = pool!.run(hang, null, { deadlineMs: 30 });
  const later = pool!.run(double, 5);
  await expect(hung).rejects.toBeInstanceOf(DeadlineExceeded);
  expect(await later).toBe(10);
});

test.each(['leave', 'failOutside'])('a thread that dies by %s rejects its task and is replaced', async (name) => {
  start();
  await expect(pool!.run(task(name), null)).rejects.toBeInstanceOf(ThreadDied);
  expect(await pool!.run(double, 3)).toBe(6);
  expect(pool!.stats()).toEqual({ size: 1, busy: 0, waiting: 0 });
});

test('a task that eats all memory kills its thread, not the process', async () => {
  start({ maxOldGenerationMb: 24 });
  await expect(pool!.run(task('devourMemory'), null)).rejects.toThrow(/memory/);
  expect(await pool!.run(double, 3)).toBe(6);
});

test('refuses a task when enough others wait', async () => {
  start({ maxWaiting: 1 });
  const gate = new SharedArrayBuffer(4);
  const running = pool!.run(waitForGate, gate);
  const waiting = pool!.run(double, 1);
  expect(pool!.stats()).toEqual({ size: 1, busy: 1, waiting: 1 });
  await expect(pool!.run(double, 2)).rejects.toBeInstanceOf(PoolFull);
  openGate(gate);
  expect(await running).toBe('passed');
  expect(await waiting).toBe(2);
  expect(await pool!.run(double, 2)).toBe(4);
});

test('errors cross with name, message, stack, cause and plain data', async () => {
  start();
  const error = (await pool!.run(task('fail'), null).catch((thrown) => thrown)) as Error;
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'SchemaFault',
    message: 'line 7 is wrong',
    line: 7,
    details: ['first', 'second'],
  });
  expect(error.stack).toContain('create-pool.fixture.ts');
  expect(error.cause).toBeInstanceOf(TypeError);
  expect(error).not.toHaveProperty('callback');
  await expect(pool!.run(task('failOddly'), null)).rejects.toThrow('thrown: a string');
});

test('what cannot be cloned rejects, on the way in and on the way out', async () => {
  start();
  await expect(pool!.run(task('double'), () => {})).rejects.toThrow(/could not be cloned/);
  await expect(pool!.run(task('notCloneable'), null)).rejects.toThrow(/could not be cloned/);
  expect(await pool!.run(double, 2)).toBe(4);
});

test('buffers move both ways without a copy', async () => {
  start();
  const bytes = new ArrayBuffer(1_000_000);
  const fillWith = task<{ bytes: ArrayBuffer; value: number }, ArrayBuffer>('fillWith');
  const filled = await pool!.run(fillWith, { bytes, value: 7 }, { transfer: [bytes] });
  expect(bytes.byteLength).toBe(0);
  expect(filled.byteLength).toBe(1_000_000);
  expect(new Uint8Array(filled).every((byte) => byte === 7)).toBe(true);

  const made = await pool!.run(task<number, { bytes: ArrayBuffer }>('makeBytes'), 5_000);
  expect(made.bytes.byteLength).toBe(5_000);
  expect(await pool!.run(task('lengthLeftBehind'), null)).toBe(0);
});

test('a task can ask for a new thread after it', async () => {
  start();
  const first = await pool!.run(whichThread, null);
  expect(await pool!.run(task('whichThreadOnce'), null)).toBe(first);
  expect(await pool!.run(whichThread, null)).not.toBe(first);
});

test('threads work at the same time', async () => {
  start({ size: 2 });
  const shared = new SharedArrayBuffer(4);
  const meet = task<SharedArrayBuffer, number>('meet');
  expect(await Promise.all([pool!.run(meet, shared), pool!.run(meet, shared)])).toEqual([2, 2]);
});

test('a thousand tasks come back with their own results', async () => {
  start({ size: 2 });
  const results = await Promise.all(Array.from({ length: 1_000 }, (_, index) => pool!.run(double, index)));
  expect(results).toEqual(Array.from({ length: 1_000 }, (_, index) => index * 2));
});

test('close finishes what was accepted and refuses the rest', async () => {
  start();
  const gate = new SharedArrayBuffer(4);
  const running = pool!.run(waitForGate, gate);
  const waiting = pool!.run(double, 8);
  const closed = pool!.close();
  await expect(pool!.run(double, 1)).rejects.toBeInstanceOf(PoolClosed);
  openGate(gate);
  await closed;
  expect(await Promise.all([running, waiting])).toEqual(['passed', 16]);
});
