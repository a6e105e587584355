import type { Output } from '@kwit/contract/endpoint';
import type { queryPeppolProviders as endpoint } from '@kwit/contract/permission-endpoints';
import type { PermissionsDeps } from './deps.ts';
import { listProviders, type Page } from './list-store.ts';
import { momentOf } from './record-shapes.ts';

/** Peppol providers, each registered by its first login. Public. */
export async function queryPeppolProviders(deps: PermissionsDeps, page: Page): Promise<Output<typeof endpoint>> {
  const { rows, hasMore } = await listProviders(deps.database, page);
  return {
    peppolProviders: rows.map(({ id, name, created_at }) => ({ id, name, dateCreated: momentOf(created_at) })),
    hasMore,
  };
}
