import type { Input, Output } from '@kwit/contract/endpoint';
import type { querySubordinateEntityRoles } from '@kwit/contract/permission-query-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { PermissionsDeps } from './deps.ts';
import { readFilters } from './input-rules.ts';
import { listChildrenOf, type Page } from './list-store.ts';
import { momentOf } from './record-shapes.ts';

type Answer = Output<typeof querySubordinateEntityRoles>;

/** Members of the VAT group, or units of the local government, that the current context is. */
export async function querySubordinateRoles(
  deps: PermissionsDeps,
  { context }: Caller,
  body: Input<typeof querySubordinateEntityRoles, 'body'>,
  page: Page,
): Promise<Answer> {
  const { subordinateEntityIdentifier: child } = readFilters({
    subordinateEntityIdentifier: body.subordinateEntityIdentifier,
  });
  if (context.type !== 'Nip') return { roles: [], hasMore: false };
  const { rows, hasMore } = await listChildrenOf(deps.database, context.value, child?.value, deps.clock.now(), page);
  return {
    roles: rows.map((row) => ({
      subordinateEntityIdentifier: { type: 'Nip' as const, value: row.nip },
      role: row.role as Answer['roles'][number]['role'],
      description: row.description,
      startDate: momentOf(row.start_date),
    })),
    hasMore,
  };
}
