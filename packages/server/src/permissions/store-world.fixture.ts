import { randomUUID } from 'node:crypto';
import type { Database } from '../platform/db/database.ts';
import { rows, sql } from '../platform/db/sql.ts';
import type { World } from './random-world.fixture.ts';

const date = (moment: number | undefined) => (moment === undefined ? null : new Date(moment));

/** Replaces what is stored by this world. */
export async function storeWorld(database: Database, { persons, roles, grants }: World): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.execute(sql`truncate person, entity_role, permission_grant`);
    if (persons.length > 0) {
      await tx.execute(
        sql`insert into person (id, nip, pesel, is_bailiff, is_deceased, description, start_date, end_date) values ${rows(
          persons.map((p) => [
            randomUUID(),
            p.nip,
            p.pesel,
            false,
            p.isDeceased,
            'a person',
            date(p.startDate),
            date(p.endDate),
          ]),
        )}`,
      );
    }
    if (roles.length > 0) {
      await tx.execute(
        sql`insert into entity_role (id, nip, role, parent_nip, origin, description, start_date, end_date) values ${rows(
          roles.map((r) => [
            randomUUID(),
            r.nip,
            r.role,
            r.parentNip ?? null,
            'Subject',
            'a role',
            date(r.startDate),
            date(r.endDate),
          ]),
        )}`,
      );
    }
    if (grants.length > 0) {
      await tx.execute(sql`insert into permission_grant (id, kind, scope, grantor_type, grantor_value, works_in_type, works_in_value,
        subject_type, subject_value, can_delegate, author_type, author_value, description, start_date, end_date) values ${rows(
          grants.map((g) => [
            randomUUID(),
            g.kind,
            g.scope,
            g.grantor.type,
            g.grantor.value,
            g.worksIn.type,
            g.worksIn.value,
            g.subject.type,
            g.subject.value,
            g.canDelegate,
            'Nip',
            '5265877635',
            'a grant',
            date(g.startDate),
            date(g.endDate),
          ]),
        )}`);
    }
  });
}
