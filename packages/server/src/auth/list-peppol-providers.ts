import { formatTimestamp } from '@kwit/contract/date-time';
import type { Queryable } from '../platform/db/database.ts';
import { listProviders } from './peppol-store.ts';

/** Providers that have logged in, newest first. */
export async function listPeppolProviders(
  on: Queryable,
  page: { pageOffset: number; pageSize: number },
): Promise<{ peppolProviders: { id: string; name: string; dateCreated: string }[]; hasMore: boolean }> {
  const found = await listProviders(on, page.pageOffset * page.pageSize, page.pageSize + 1);
  return {
    peppolProviders: found
      .slice(0, page.pageSize)
      .map(({ id, name, createdAt }) => ({ id, name, dateCreated: formatTimestamp(createdAt) })),
    hasMore: found.length > page.pageSize,
  };
}
