import type { Queryable } from '../platform/db/database.ts';
import { type Sql, sql } from '../platform/db/sql.ts';
import type { Facts, GrantFact, Identifier, PersonFact, RoleFact } from './model.ts';

/** Facts about one subject in one context, and whether the context is blocked. */
export interface LoadedFacts extends Facts {
  readonly blocked: boolean;
}

interface FactsRow {
  persons: PersonFact[];
  roles: RoleFact[];
  grants: (Omit<GrantFact, 'grantor' | 'worksIn' | 'subject'> &
    Record<'gt' | 'gv' | 'wt' | 'wv' | 'st' | 'sv', string>)[];
  blocked: boolean;
}

/** About whom and where. */
export interface FactsQuestion {
  subject: Identifier;
  context: Identifier;
}

export async function loadFacts(on: Queryable, subject: Identifier, context: Identifier): Promise<LoadedFacts> {
  const [facts] = await loadFactsOf(on, [{ subject, context }]);
  return facts as LoadedFacts;
}

/**
 * Everything `effectivePermissions` needs, in one round trip for all questions. Both ways to hold something go by the index on subject and place
 * together (its expressions are repeated here word by word), so the cost depends neither on grants of other contexts nor on what the subject
 * holds elsewhere: general indirect grants are looked up from the few intermediaries that this context lets delegate.
 */
export async function loadFactsOf(on: Queryable, questions: readonly FactsQuestion[]): Promise<LoadedFacts[]> {
  const found = await on.query<FactsRow>(factsStatement(questions));
  if (found.length !== questions.length) throw new Error('every question about permissions has exactly one answer');
  return found.map((row) => ({
    persons: row.persons,
    roles: row.roles,
    grants: row.grants.map(({ gt, gv, wt, wv, st, sv, ...grant }) => ({
      ...grant,
      grantor: { type: gt, value: gv },
      worksIn: { type: wt, value: wv },
      subject: { type: st, value: sv },
    })),
    blocked: row.blocked,
  }));
}

/**
 * Apart so that a test can ask the planner what it makes of it. Values of different identifier types are never alike (10, 11, 16 or 64
 * characters), so types are not compared where the value decides: a comparison of parameters would make plans for known values look cheaper
 * than the one plan for all, and PostgreSQL would plan anew for every login. For the same reason the questions come as JSON and not as arrays,
 * whose lengths the planner knows.
 */
export function factsStatement(questions: readonly FactsQuestion[]): Sql {
  return sql`
    select facts.* from jsonb_to_recordset(${JSON.stringify(questions.map(questionRow))}::jsonb)
      as asked (place int, subject_type text, subject_value text, context_type text, context_value text)
    cross join lateral (
    with person_in_force as (
      select nip, pesel, is_deceased, start_date from person where nip = asked.subject_value and end_date is null
      union all
      select nip, pesel, is_deceased, start_date from person where pesel = asked.subject_value and end_date is null
    ),
    identity (type, value) as (
      select asked.subject_type, asked.subject_value
      union all
      select case when nip = asked.subject_value then 'Pesel' else 'Nip' end,
        case when nip = asked.subject_value then pesel else nip end
      from person_in_force
    ),
    delegable as materialized (
      select * from permission_grant
      where works_in_type = asked.context_type and works_in_value = asked.context_value
        and kind = 'Entity' and can_delegate and end_date is null
    ),
    held as (
      select g.* from identity i join permission_grant g
        on (g.subject_type || ' ' || g.subject_value) = (i.type || ' ' || i.value) and g.end_date is null
        and (g.works_in_type || ' ' || g.works_in_value) = (asked.context_type || ' ' || asked.context_value)
      union all
      select g.* from (select distinct subject_value as nip from delegable) d cross join identity i
        cross join lateral (
          -- offset 0: looked up for each intermediary by itself; the planner must not turn it round and read all that the subject holds.
          select * from permission_grant p
          where (p.subject_type || ' ' || p.subject_value) = (i.type || ' ' || i.value) and p.end_date is null
            and (p.works_in_type || ' ' || p.works_in_value) = 'AllPartners '
            and p.grantor_type = 'Nip' and p.grantor_value = d.nip and p.kind = 'Indirect'
          offset 0
        ) g
    ),
    relevant as (
      select * from held
      union
      select d.* from delegable d
        where exists (select 1 from held h where h.kind = 'Indirect' and h.grantor_value = d.subject_value and h.scope = d.scope)
    )
    select
      coalesce((select json_agg(json_build_object(
        'nip', nip, 'pesel', pesel, 'isDeceased', is_deceased,
        'startDate', (extract(epoch from start_date) * 1000)::float8)) from person_in_force), '[]') as persons,
      coalesce((select json_agg(json_build_object(
        'nip', nip, 'role', role, 'parentNip', parent_nip,
        'startDate', (extract(epoch from start_date) * 1000)::float8))
        from entity_role where nip = asked.context_value and end_date is null), '[]') as roles,
      coalesce((select json_agg(json_build_object(
        'id', id, 'kind', kind, 'scope', scope, 'canDelegate', can_delegate,
        'gt', grantor_type, 'gv', grantor_value, 'wt', works_in_type, 'wv', works_in_value, 'st', subject_type, 'sv', subject_value,
        'startDate', (extract(epoch from start_date) * 1000)::float8)) from relevant), '[]') as grants,
      exists (select 1 from blocked_context where type = asked.context_type and value = asked.context_value) as blocked
    ) facts
    -- Always true: a range tells the planner to expect one question and not a hundred. Expecting many, it takes the plan for all for so much
    -- dearer than its first plans of a still empty register that it goes on planning anew for thousands of logins while the register grows.
    where asked.place between 0 and 1000000
    order by asked.place`;
}

function questionRow({ subject, context }: FactsQuestion, place: number): object {
  return {
    place,
    subject_type: subject.type,
    subject_value: subject.value,
    context_type: context.type,
    context_value: context.value,
  };
}
