import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of /proc are hundredths of a second on every Linux that Node runs on. */
const TICK_SECONDS = 0.01;

interface Process {
  parent: number;
  ticks: number;
}

function processes(): Map<number, Process> {
  const found = new Map<number, Process>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The command in brackets may hold anything, blanks and brackets too: the numbers begin after its end.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      // Its own time, and that of children which have ended.
      const ticks = [11, 12, 13, 14].reduce((sum, n) => sum + Number(fields[n]), 0);
      found.set(Number(name), { parent: Number(fields[1]), ticks });
    } catch {
      // Ended between the list and the reading.
    }
  }
  return found;
}

/** CPU seconds that a process and everything it started have used so far: the service with its PostgreSQL. */
export function cpuSeconds(pid: number): number {
  const all = processes();
  const belongs = (at: number): boolean => at === pid || (at > 1 && belongs(all.get(at)?.parent ?? 0));
  let ticks = 0;
  for (const [at, process] of all) if (belongs(at)) ticks += process.ticks;
  return ticks * TICK_SECONDS;
}
