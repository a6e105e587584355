import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A program of this folder, run by the same Node in a process of its own, that reports by JSON lines. */
export interface Child {
  process: ChildProcess;
  pid: number;
  /** The next event that has this property; rejects when the program ends before. */
  event<T = unknown>(property: string): Promise<T>;
  /** All events so far that have this property. */
  seen<T = unknown>(property: string): T[];
  /** Sends the signal and waits for the end and for all that was printed before it. */
  end(signal: NodeJS.Signals): Promise<void>;
  ended: Promise<void>;
}

export function startChild(
  file: string,
  args: readonly string[],
  options: { uid?: number; gid?: number; cwd?: string } = {},
): Child {
  const child = spawn(process.execPath, [join(import.meta.dirname, file), ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const events: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  let errors = '';
  let over = false;
  const wake = () => {
    for (const check of [...waiting]) check();
  };
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    try {
      events.push(JSON.parse(line));
    } catch {
      // A line cut off by a kill.
    }
    wake();
  });
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => {
      over = true;
      wake();
      resolve();
    });
  });
  let read = 0;
  return {
    process: child,
    pid: child.pid!,
    ended,
    seen: <T>(property: string) => events.filter((event) => property in event).map((event) => event[property] as T),
    event: <T>(property: string) =>
      new Promise<T>((resolve, reject) => {
        const check = () => {
          const index = events.findIndex((event, at) => at >= read && property in event);
          if (index >= 0) {
            read = index + 1;
            waiting.delete(check);
            resolve(events[index]![property] as T);
          } else if (over) {
            waiting.delete(check);
            reject(new Error(`The program ended without ${property}: ${JSON.stringify(events.slice(-3))} ${errors}`));
          }
        };
        waiting.add(check);
        check();
      }),
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}
