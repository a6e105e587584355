import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import { redactText } from '../log-redact.ts';
import { countParked, readParked } from './parked-store.ts';

/** A job that failed for the last time, as an operator may see it: never its payload. */
export interface ParkedJob {
  id: string;
  queue: string;
  tries: number;
  createdAt: number;
  parkedAt: number;
  /** Since it was parked, in milliseconds. */
  ageMs: number;
  error: string;
}

const LONGEST_ERROR = 200;
const MOST = 1_000;

/** Parked jobs, those that wait longest first, and how many there are in all. */
export async function listParked(
  { database, clock }: { database: Queryable; clock: Clock },
  { queue, limit = MOST }: { queue?: string | undefined; limit?: number } = {},
): Promise<{ jobs: ParkedJob[]; total: number }> {
  const now = clock.now();
  const rows = await readParked(database, queue, Math.min(limit, MOST));
  const jobs = rows.map((row) => ({
    id: String(row.id),
    queue: row.queue,
    tries: row.attempts,
    createdAt: row.created_at.getTime(),
    parkedAt: row.parked_at.getTime(),
    ageMs: Math.max(0, now - row.parked_at.getTime()),
    error: presentableError(row.last_error),
  }));
  return { jobs, total: rows.length < Math.min(limit, MOST) ? rows.length : await countParked(database, queue) };
}

/** One short line. Secrets go as they do in logs; what looks like a document is cut off where it begins. */
export function presentableError(text: string | null): string {
  const line = redactText(text ?? '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .replace(/<[?!/]?[\p{L}_].*$/su, '[document]');
  return line.length > LONGEST_ERROR ? `${line.slice(0, LONGEST_ERROR)}...` : line;
}
