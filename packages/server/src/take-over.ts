import type { Database } from './platform/db/database.ts';
import { endAllLeases } from './platform/jobs/store.ts';
import { releaseAllInvoices } from './sessions/pipeline/claim.ts';

/**
 * Takes over what a killed predecessor had under way, instead of waiting for its leases to run out. The embedded database serves
 * one instance at a time, so whoever starts on it knows that all who held a lease are gone; with a shared database nobody does.
 */
export async function takeOver(database: Database, now: number): Promise<{ jobs: number; invoices: number }> {
  return { jobs: await endAllLeases(database, now), invoices: await releaseAllInvoices(database, now) };
}
