import type { Queryable } from '../platform/db/database.ts';
import { rows, sql } from '../platform/db/sql.ts';

/** The first login registers a provider; a later one with another name replaces the name only. */
export async function registerProviders(
  on: Queryable,
  providers: readonly { id: string; name: string }[],
  now: number,
): Promise<void> {
  if (providers.length === 0) return;
  const unique = [...new Map(providers.map((provider) => [provider.id, provider])).values()].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
  await on.execute(sql`
    insert into peppol_provider (id, name, created_at)
    values ${rows(unique.map(({ id, name }) => [id, name, new Date(now)]))}
    on conflict (id) do update set name = excluded.name where peppol_provider.name <> excluded.name`);
}
