// Entry of a pool thread: imports the module of a task on its first use, runs one task at a time, answers with data only.
import { parentPort } from 'node:worker_threads';
import { toPlain } from './error-crossing.ts';
import { isHandBack } from './hand-back.ts';
import type { TaskMessage, ThreadMessage } from './messages.ts';

const port = parentPort;
if (port === null) throw new Error('worker.ts runs only as a thread of the pool');

type TaskFunction = (input: unknown) => unknown;
const loaded = new Map<string, Record<string, unknown>>();

async function find(message: TaskMessage): Promise<TaskFunction> {
  let module = loaded.get(message.module);
  if (module === undefined) {
    module = (await import(message.module)) as Record<string, unknown>;
    loaded.set(message.module, module);
    answer({ id: message.id, kind: 'loaded' });
  }
  const found = module[message.name];
  if (typeof found !== 'function') throw new TypeError(`${message.module} exports no function named '${message.name}'`);
  return found as TaskFunction;
}

function answer(message: ThreadMessage, transfer: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, transfer);
}

async function work(message: TaskMessage): Promise<void> {
  try {
    const task = await find(message);
    const result = await task(message.input);
    const wrapped = isHandBack(result) ? result : undefined;
    const output = wrapped === undefined ? result : wrapped.output;
    answer({ id: message.id, kind: 'done', output, recycle: wrapped?.recycle === true }, wrapped?.transfer);
  } catch (error) {
    // Also the way of a result that cannot be cloned or transferred.
    answer({ id: message.id, kind: 'failed', error: toPlain(error) });
  }
}

port.on('message', (message: TaskMessage) => void work(message));
