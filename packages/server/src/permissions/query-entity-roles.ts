import type { Output } from '@kwit/contract/endpoint';
import type { queryEntityRoles as endpoint } from '@kwit/contract/permission-query-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { listRolesOf, type Page } from './list-store.ts';
import { momentOf } from './record-shapes.ts';

type Answer = Output<typeof endpoint>;

/** Roles of the current context. */
export async function queryEntityRoles(deps: PermissionsDeps, { context }: Caller, page: Page): Promise<Answer> {
  if (context.type !== 'Nip') return { roles: [], hasMore: false };
  const { rows, hasMore } = await listRolesOf(deps.database, context.value, deps.clock.now(), page);
  return {
    roles: rows.map((row) => ({
      ...(row.parent_nip !== null && { parentEntityIdentifier: { type: 'Nip' as const, value: row.parent_nip } }),
      role: row.role as Answer['roles'][number]['role'],
      description: row.description,
      startDate: momentOf(row.start_date),
    })),
    hasMore,
  };
}
