import type { Queryable } from '../platform/db/database.ts';
import { join, sql } from '../platform/db/sql.ts';
import { subjectIs } from './list-store.ts';
import type { GrantFact, Identifier } from './model.ts';
import { type GrantRow, grantOf } from './store.ts';

/** Records that nearly let a subject into a context. Only for explaining: logins never read them. */
export interface NearMisses {
  /** Indirect grants to the subject for this context or for all partners, active or not. */
  indirect: GrantFact[];
  /** What this context gave to the intermediaries of those, delegable or not. */
  toIntermediaries: GrantFact[];
  /** What this context gave to entities in whose own context the subject holds something. */
  toEmployers: GrantFact[];
  /** What the subject held here and holds no more, newest first. */
  ended: GrantFact[];
}

const ENOUGH = 20;

export async function loadNearMisses(
  on: Queryable,
  identities: readonly Identifier[],
  context: Identifier,
): Promise<NearMisses> {
  const mine = join(identities.map(subjectIs), ' or ');
  const indirect = await on.query<GrantRow>(sql`
    select * from permission_grant g where g.end_date is null and g.kind = 'Indirect' and (${mine})
      and (g.works_in_type = 'AllPartners' or (g.works_in_value = ${context.value} and g.works_in_type = ${context.type}))
    order by g.start_date desc limit ${ENOUGH}`);
  const toIntermediaries = await on.query<GrantRow>(sql`
    select * from permission_grant g where g.end_date is null and g.kind = 'Entity'
      and g.works_in_value = ${context.value} and g.works_in_type = ${context.type}
      and g.subject_value = any(${indirect.map((g) => g.grantor_value)}::text[])
    order by g.start_date desc limit ${ENOUGH}`);
  const toEmployers = await on.query<GrantRow>(sql`
    select * from permission_grant e where e.end_date is null and e.kind = 'Entity'
      and e.works_in_value = ${context.value} and e.works_in_type = ${context.type}
      and exists (select 1 from permission_grant g where g.end_date is null and g.kind = 'Person' and (${mine})
        and g.works_in_type = 'Nip' and g.works_in_value = e.subject_value)
    order by e.start_date desc limit ${ENOUGH}`);
  const ended = await on.query<GrantRow>(sql`
    select * from permission_grant g where g.end_date is not null and (${mine})
      and g.works_in_value = ${context.value} and g.works_in_type = ${context.type}
    order by g.end_date desc limit ${ENOUGH}`);
  return {
    indirect: indirect.map(grantOf),
    toIntermediaries: toIntermediaries.map(grantOf),
    toEmployers: toEmployers.map(grantOf),
    ended: ended.map(grantOf),
  };
}
