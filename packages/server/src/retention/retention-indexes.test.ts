import { formatReferenceNumber } from '@kwit/contract/reference-number';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { sweepLogins } from '../auth/sweep-logins.ts';
import { sweepExports } from '../exports/sweep-exports.ts';
import type { Queryable } from '../platform/db/database.ts';
import { raw, type Sql, sql } from '../platform/db/sql.ts';
import { loginsInUse } from '../sessions/logins-in-use.ts';

const ROWS = 20_000;
const AT = Date.parse('2026-01-05T12:00:00Z');

test('the sweeps find old records by indexes, however many younger ones there are', { timeout: 60_000 }, async () => {
  const database = await testDatabase();
  const numbers = (kind: 'AU' | 'SO' | 'EH', day: number) =>
    Array.from({ length: ROWS }, (_, n) =>
      formatReferenceNumber(kind, AT + day * 86_400_000, n % 4096, `${n}`.padStart(10, '0')),
    );
  const [old, young] = [numbers('AU', 0), numbers('AU', 300)];
  await database.execute(sql`
    insert into auth_operation (reference, started_at, method, context_type, context_value, active_until)
    select reference, ${new Date(AT)}, 'QualifiedSeal', 'Nip', '5265877635', ${new Date(AT)} from unnest(${[...old, ...young]}::text[]) as reference`);
  await database.execute(sql`
    insert into session (reference, kind, context_type, context_value, opener_type, opener_value, operation, form, upo_version,
      created_at, updated_at, valid_until)
    select reference, 'Online', 'Nip', '5265877635', 'Nip', '5265877635', login, 'FA (3)', 'v4-3', ${new Date(AT)}, ${new Date(AT)}, ${new Date(AT)}
    from unnest(${numbers('SO', 0)}::text[], ${young}::text[]) as made (reference, login)`);
  await database.execute(sql`
    insert into invoice_export (reference, context_type, context_value, subject_type, subject_value, filters, upper_ticks, mark_us,
      only_metadata, compression, vector, accepted_at, status)
    select reference, 'Nip', '5265877635', 'Nip', '5265877635', '{}', 0, 0, false, 'Zip', ''::bytea, ${new Date(AT)}, 210
    from unnest(${[...numbers('EH', 0).slice(0, 100), ...numbers('EH', 300)]}::text[]) as reference`);
  await database.execute(raw('analyze auth_operation, session, invoice_export'));

  const plans: string[] = [];
  /** Asks for the plan of every statement before it runs. */
  const watched: Queryable = {
    query: async <Row extends object>(statement: Sql) => {
      await explain(statement);
      return database.query<Row>(statement);
    },
    execute: async (statement) => {
      await explain(statement);
      return database.execute(statement);
    },
  };
  async function explain(statement: Sql): Promise<void> {
    const lines = await database.query<Record<string, string>>(sql`explain ${statement}`);
    plans.push(lines.map((line) => Object.values(line)[0]).join('\n'));
  }

  // A small part of the table: of more, PostgreSQL before 17 rightly reads a table of this size as a whole.
  const page = { after: '', before: AT + 200 * 86_400_000, limit: 100 };
  expect(await sweepLogins(loginsInUse).sweep(watched, page)).toMatchObject({ examined: 100, deleted: 100 });
  expect(await sweepExports.sweep(watched, page)).toMatchObject({ deleted: 100 });
  expect(plans).toHaveLength(4);
  expect(plans[0]).toContain('auth_operation_pkey');
  expect(plans[1]).toContain('session_of_login');
  expect(plans[3]).toContain('invoice_export_pkey');
  for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on (?:auth_operation|session|invoice_export)\b/);
});
