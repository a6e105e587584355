import { readdirSync, readFileSync } from 'node:fs';
import type { Row } from './table.ts';

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

/**
 * So far, since each part was started; undefined where the system has no /proc. PostgreSQL is what the service started, or another process
 * if that is given.
 */
export function cpuTimes(pid: number, startedBy = pid): CpuTimes | undefined {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const mainThread = ticks(`/proc/${pid}/task/${pid}/stat`);
    const others = threads.filter((id) => id !== String(pid)).map((id) => ticks(`/proc/${pid}/task/${id}/stat`));
    const { user, system } = process.cpuUsage();
    return {
      mainThread: mainThread * TICK_MS,
      otherThreads: sum(others) * TICK_MS,
      postgres: sum(databaseOf(startedBy, pid).map((child) => ticks(`/proc/${child}/stat`, true))) * TICK_MS,
      load: (user + system) / 1000,
    };
  } catch {
    return undefined;
  }
}

/** Milliseconds that each of `count` pieces of work cost; NaN where that is not known. */
export function cpuPerPiece(before: CpuTimes | undefined, after: CpuTimes | undefined, count: number): CpuTimes {
  const each = (part: keyof CpuTimes) => (before && after ? (after[part] - before[part]) / count : Number.NaN);
  return {
    mainThread: each('mainThread'),
    otherThreads: each('otherThreads'),
    postgres: each('postgres'),
    load: each('load'),
  };
}

/** Beside what the bare pipeline costs: unlike rates, comparable while the machine does other things too. */
export function cpuRow(cost: CpuTimes, bareMs: number): Row {
  const text = (value: number) => value.toFixed(2);
  const total = sum(Object.values(cost));
  return {
    what: 'processor time an invoice',
    value: `${text(total)} ms`,
    limit: `${text(bareMs)} ms bare pipeline`,
    ratio: bareMs / total,
    note: `main thread ${text(cost.mainThread)}, other threads ${text(cost.otherThreads)}, PostgreSQL ${text(cost.postgres)}, load ${text(cost.load)}`,
  };
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

function databaseOf(startedBy: number, service: number): number[] {
  return descendants(startedBy).filter((pid) => pid !== service);
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
