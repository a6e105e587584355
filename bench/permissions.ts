/**
 * What computing somebody's permissions costs beside a bare round trip to the same database, while the number of grants of other contexts
 * grows a thousandfold. `GRANTS=1000,30000,1000000` chooses the sizes, `CALLS` how often each question is asked.
 */
import { randomBytes } from 'node:crypto';
import { permissionsOf } from '../packages/server/src/permissions/subject-registry.ts';
import type { ContextIdentifier, SubjectIdentifier } from '../packages/server/src/platform/caller.ts';
import { stopwatch, systemClock } from '../packages/server/src/platform/clock.ts';
import { openDatabase } from '../packages/server/src/platform/db/connect.ts';
import type { Database } from '../packages/server/src/platform/db/database.ts';
import { migrate } from '../packages/server/src/platform/db/migrate.ts';
import { raw, sql } from '../packages/server/src/platform/db/sql.ts';
import { startThrowawayServer } from '../packages/server/test/support/throwaway-server.ts';

const SIZES = (process.env.GRANTS ?? '1000,30000,1000000').split(',').map(Number);
const CALLS = Number(process.env.CALLS ?? 300);

const nip = (value: string) => ({ type: 'Nip' as const, value });
const pesel = (value: string) => ({ type: 'Pesel' as const, value });

/** The few that are asked about; everybody else is made by the database. */
const CLIENT = '5265877635';
const OFFICE = '7762811692';
const EMPLOYEE = '44051401359';
const ACCOUNTANT = '15062788702';
const HANDED = '90091309122';

interface Question {
  name: string;
  subject: SubjectIdentifier;
  context: ContextIdentifier;
  expected: readonly string[];
}

const QUESTIONS: readonly Question[] = [
  { name: 'the owner, no grant at all', subject: nip('1234563218'), context: nip('1234563218'), expected: ['Owner'] },
  { name: 'a stranger', subject: pesel('02271409862'), context: nip(CLIENT), expected: [] },
  {
    name: 'an accountant with a tenth of all grants, in one client',
    subject: pesel(ACCOUNTANT),
    context: nip(CLIENT),
    expected: ['InvoiceWrite', 'InvoiceRead'],
  },
  {
    name: 'an employee of an office with a tenth of all grants as clients',
    subject: pesel(EMPLOYEE),
    context: nip(CLIENT),
    expected: ['InvoiceRead'],
  },
  {
    name: 'one to whom a tenth of all grants hand on all partners',
    subject: pesel(HANDED),
    context: nip(CLIENT),
    expected: ['InvoiceRead'],
  },
];

async function main(): Promise<void> {
  const server = await startThrowawayServer();
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const admin = openDatabase(server.url, { poolSize: 1 });
  await admin.execute(raw(`create database ${name}`));
  await admin.close();
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const database = openDatabase(url.href, { poolSize: 1, statementTimeoutMs: 0 });
  try {
    await migrate(database, { clock: systemClock });
    for (const size of SIZES) await measure(database, size);
  } finally {
    await database.close();
    await server.stop();
  }
}

async function measure(database: Database, grants: number): Promise<void> {
  const loading = stopwatch();
  await fill(database, grants);
  const [{ count }] = (await database.query(sql`select count(*) from permission_grant`)) as [{ count: number }];
  console.log(
    `\n${count} grants in force, loaded in ${(loading() / 1000).toFixed(1)} s; ${CALLS} calls each, one after the other`,
  );
  const bareCall = () => database.query(sql`select 1`);
  for (const { name, subject, context, expected } of QUESTIONS) {
    const now = systemClock.now();
    const { permissions } = await permissionsOf(subject, context, now, database);
    if (permissions.join() !== expected.join())
      throw new Error(`${name}: got [${permissions}], expected [${expected}]`);
    const [asked, bare] = await sample([() => permissionsOf(subject, context, now, database), bareCall]);
    print(name, asked, bare);
  }
}

interface Sample {
  median: number;
  p95: number;
}

/** Asks in turn, so that a busy machine slows both down alike. */
async function sample(calls: readonly [() => Promise<unknown>, () => Promise<unknown>]): Promise<[Sample, Sample]> {
  const times: [number[], number[]] = [[], []];
  for (let i = -30; i < CALLS; i += 1) {
    for (const which of [0, 1] as const) {
      const elapsed = stopwatch();
      await calls[which]();
      if (i >= 0) times[which].push(elapsed());
    }
  }
  return [summary(times[0]), summary(times[1])];
}

function summary(times: number[]): Sample {
  times.sort((a, b) => a - b);
  return { median: times[Math.floor(times.length / 2)] ?? 0, p95: times[Math.floor(times.length * 0.95)] ?? 0 };
}

function print(name: string, { median, p95 }: Sample, bare: Sample): void {
  const ratio = `${(median / bare.median).toFixed(1)}x`;
  console.log(
    `  ${name.padEnd(64)} median ${median.toFixed(3)} ms   p95 ${p95.toFixed(3)} ms   bare round trip ${bare.median.toFixed(3)} ms   ${ratio.padStart(6)}`,
  );
}

/** Loads without indexes and builds them afterwards: the table is the same, the loading a minute shorter. */
async function fill(database: Database, grants: number): Promise<void> {
  const indexes = await database.query<{ indexname: string; indexdef: string }>(sql`
    select indexname, indexdef from pg_indexes where tablename = 'permission_grant' and indexname <> 'permission_grant_pkey'`);
  await database.execute(sql`truncate permission_grant`);
  for (const { indexname } of indexes) await database.execute(raw(`drop index ${indexname}`));
  const tenth = Math.floor(grants / 10);
  const start = new Date(systemClock.now() - 86_400_000);
  const other = '(2000000000 + i)::text'; // a NIP that nobody asks about, one per row
  const insert = async (count: number, columns: string): Promise<void> => {
    await database.execute(
      sql`insert into permission_grant (id, kind, scope, grantor_type, grantor_value, works_in_type, works_in_value, subject_type,
        subject_value, can_delegate, author_type, author_value, description, start_date)
        select gen_random_uuid(), ${raw(columns)}, 'Nip', '1234563218', 'made for the bench', ${start}::timestamptz - i * interval '1 ms'
        from generate_series(1, ${count}::int) as i`,
    );
  };
  // Everybody else: twenty grants per context, persons and entities.
  await insert(
    grants - 3 * tenth,
    `case when i % 5 = 0 then 'Entity' else 'Person' end, case when i % 2 = 0 then 'InvoiceRead' else 'InvoiceWrite' end,
     'Nip', (3000000000 + i / 20)::text, 'Nip', (3000000000 + i / 20)::text,
     case when i % 5 = 0 then 'Nip' else 'Pesel' end, case when i % 5 = 0 then ${other} else lpad(i::text, 11, '0') end, i % 10 = 0`,
  );
  await insert(tenth, `'Person', 'InvoiceRead', 'Nip', ${other}, 'Nip', ${other}, 'Pesel', '${ACCOUNTANT}', false`);
  await insert(tenth, `'Entity', 'InvoiceRead', 'Nip', ${other}, 'Nip', ${other}, 'Nip', '${OFFICE}', true`);
  await insert(tenth, `'Indirect', 'InvoiceRead', 'Nip', ${other}, 'AllPartners', '', 'Pesel', '${HANDED}', false`);
  // The context that is asked about.
  const place = `'Nip', '${CLIENT}', 'Nip', '${CLIENT}'`;
  await insert(1, `'Person', 'InvoiceWrite', ${place}, 'Pesel', '${ACCOUNTANT}', false`);
  await insert(1, `'Person', 'InvoiceRead', ${place}, 'Pesel', '${ACCOUNTANT}', false`);
  await insert(1, `'Entity', 'InvoiceRead', ${place}, 'Nip', '${OFFICE}', true`);
  for (const employee of [EMPLOYEE, HANDED]) {
    await insert(1, `'Indirect', 'InvoiceRead', 'Nip', '${OFFICE}', 'AllPartners', '', 'Pesel', '${employee}', false`);
  }
  for (const { indexdef } of indexes) await database.execute(raw(indexdef));
  await database.execute(raw('analyze permission_grant'));
}

await main();
