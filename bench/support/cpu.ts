import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of a running service in milliseconds, by part. Load and service share the cores, so this is what an invoice costs. */
export interface CpuTimes {
  mainThread: number;
  /** Pool threads, garbage collection, compiling, libuv. */
  otherThreads: number;
  postgres: number;
  /** This process: the load generator. */
  load: number;
}

/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;

/** So far, since each part was started; undefined where the system has no /proc. */
export function cpuTimes(pid: number): CpuTimes | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const mainThread = ticks(`/proc/${pid}/task/${pid}/stat`);
    const others = threads.filter((id) => id !== String(pid)).map((id) => ticks(`/proc/${pid}/task/${id}/stat`));
    const { user, system } = process.cpuUsage();
    return {
      mainThread: mainThread * TICK_MS,
      otherThreads: sum(others) * TICK_MS,
      postgres: sum(descendants(pid).map((child) => ticks(`/proc/${child}/stat`, true))) * TICK_MS,
      load: (user + system) / 1000,
    };
  } catch {
    return undefined;
  }
}

/** What `count` pieces of work cost each, as one line of text. */
export function cpuPerPiece(before: CpuTimes | undefined, after: CpuTimes | undefined, count: number): string {
  if (!before || !after) return 'not known here';
  const each = (part: keyof CpuTimes) => (after[part] - before[part]) / count;
  const parts = [each('mainThread'), each('otherThreads'), each('postgres'), each('load')];
  const [main = 0, others = 0, postgres = 0, load = 0] = parts;
  const text = (value: number) => value.toFixed(2);
  return `${text(sum(parts))} ms: main thread ${text(main)}, other threads ${text(others)}, PostgreSQL ${text(postgres)}, load ${text(load)}`;
}

/** User and system time; of a process also that of its ended children. */
function ticks(file: string, withEnded = false): number {
  try {
    const text = readFileSync(file, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return sum(fields.slice(11, withEnded ? 15 : 13).map(Number));
  } catch {
    return 0;
  }
}

function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  for (let level = children.get(pid) ?? []; level.length > 0; level = level.flatMap((p) => children.get(p) ?? []))
    found.push(...level);
  return found;
}

function parentOf(name: string): number {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
