import type { Queryable } from '../db/database.ts';
import { deleteParked } from './parked-store.ts';

/**
 * Removes a parked job for good. The operation behind it reached its end when the job was parked, so nothing waits for it.
 * A job that waits or runs is never removed.
 * @returns its queue, or undefined when no such job is parked
 */
export function removeParked(database: Queryable, id: string): Promise<string | undefined> {
  return deleteParked(database, id);
}
