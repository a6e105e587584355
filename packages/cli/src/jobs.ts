import type { Clock } from '@kwit/server/platform/clock';
import type { Database } from '@kwit/server/platform/db/database';
import { listParked, type ParkedJob } from '@kwit/server/platform/jobs/list-parked';
import { removeParked } from '@kwit/server/platform/jobs/remove-parked';
import { retryParked } from '@kwit/server/platform/jobs/retry-parked';
import type { Io } from './io.ts';
import { FAILED, Misuse, OK, readArguments } from './run-command.ts';
import { table } from './table.ts';

export interface JobsCommand {
  database: Database;
  clock: Clock;
  io: Pick<Io, 'out' | 'err'>;
}

export const JOBS_HELP = `Usage: kwit jobs <command> [options]

Jobs that failed as often as they may are parked with their last error.

  list                     shows them: id, queue, tries, since when, error
  retry <id> ...           gives these back to the service, with all their tries before them
  retry --queue <queue>    all of one queue
  remove <id> --yes        removes one for good

Options
  --queue <queue>          list, retry: only those of this queue
  --json                   list: as JSON
  --yes                    remove: yes, for good

What a job was for has ended with an error when it was parked, and keeps that answer. Trying again helps where something is
left to do, such as deleting files that are no longer needed.

Exit code 0: done, 1: refused, 2: wrong command line.`;

/** `kwit jobs ...`. */
export async function runJobs(args: readonly string[], command: JobsCommand): Promise<number> {
  const { values, positionals } = readArguments(args, {
    queue: { type: 'string' },
    json: { type: 'boolean' },
    yes: { type: 'boolean' },
  });
  const [verb, ...rest] = positionals;
  switch (verb) {
    case 'list':
      if (rest.length > 0) throw new Misuse(`'jobs list' takes no '${rest[0]}'.`);
      return list(values, command);
    case 'retry':
      return retry(rest, values.queue, command);
    case 'remove':
      return remove(rest, values.yes === true, command);
    case undefined:
      throw new Misuse(`'jobs' needs a command: list, retry or remove.`);
    default:
      throw new Misuse(`There is no command 'jobs ${verb}'.`);
  }
}

async function list(
  { queue, json }: { queue?: string | undefined; json?: boolean | undefined },
  { database, clock, io }: JobsCommand,
): Promise<number> {
  const { jobs, total } = await listParked({ database, clock }, { queue });
  if (json) {
    io.out(JSON.stringify(jobs.map(toJson), undefined, 2));
    return OK;
  }
  if (jobs.length === 0) {
    io.out('No job is parked.');
    return OK;
  }
  const rows = jobs.map((job) => [job.id, job.queue, String(job.tries), age(job.ageMs), job.error]);
  io.out(table(['ID', 'QUEUE', 'TRIES', 'PARKED', 'LAST ERROR'], rows).join('\n'));
  if (total > jobs.length) io.err(`${total - jobs.length} more are parked; these are the oldest.`);
  return OK;
}

async function retry(
  ids: readonly string[],
  queue: string | undefined,
  { database, clock, io }: JobsCommand,
): Promise<number> {
  if (ids.length > 0 === (queue !== undefined)) throw new Misuse(`'jobs retry' needs ids, or --queue with a queue.`);
  const which = queue === undefined ? { ids: ids.map(jobId) } : { queue };
  const { retried, superseded, unknown } = await retryParked({ database, clock }, which);
  for (const id of superseded) io.err(`The job ${id} stays parked: another one does the same work already.`);
  for (const id of unknown) io.err(`No job ${id} is parked.`);
  if (queue !== undefined && retried.length + superseded.length === 0)
    io.err(`No job of the queue ${queue} is parked.`);
  if (retried.length > 0) io.out(`Given back: ${retried.join(', ')}`);
  return retried.length > 0 && unknown.length === 0 ? OK : FAILED;
}

async function remove(rest: readonly string[], sure: boolean, { database, io }: JobsCommand): Promise<number> {
  const [given, more] = rest;
  if (given === undefined || more !== undefined) throw new Misuse(`'jobs remove' needs one id.`);
  const id = jobId(given);
  if (!sure) throw new Misuse(`A removed job is gone for good. Say --yes to remove ${id}.`);
  const queue = await removeParked(database, id);
  if (queue === undefined) {
    io.err(`No job ${id} is parked.`);
    return FAILED;
  }
  io.out(`Removed the job ${id} of the queue ${queue}.`);
  return OK;
}

function jobId(text: string): string {
  if (/^\d{1,18}$/.test(text)) return text;
  throw new Misuse(`'${text}' is no id of a job; 'kwit jobs list' shows them.`);
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** As people say it: `3d`, `5h`, `12m`, `40s`. */
function age(ms: number): string {
  const [unit, length] = UNITS.find(([, size]) => ms >= size) ?? ['s', 1000];
  return `${Math.floor(ms / length)}${unit} ago`;
}

function toJson({ ageMs, createdAt, parkedAt, ...job }: ParkedJob): object {
  return {
    ...job,
    createdAt: new Date(createdAt).toISOString(),
    parkedAt: new Date(parkedAt).toISOString(),
    ageSeconds: Math.floor(ageMs / 1000),
  };
}
