/**
 * Reading a register of a million invoices: pages of metadata for every role, and an export of ten thousand, beside the bare SQL of the
 * same rows in the same run. Then what pages cost with a tenth of the invoices: growing tenfold must not cost more than a third.
 * `INVOICES=200000` loads fewer.
 */
import { createClient } from '@kwit/client/client';
import type { Login } from '@kwit/client/login';
import { sealCertificate } from '@kwit/client/test-certificates';
import type { DateType, InvoiceSubjectType } from '@kwit/contract/enumerations';
import { queryMetadata } from '@kwit/contract/retrieval-endpoints';
import { stopwatch, systemClock } from '../packages/server/src/platform/clock.ts';
import { openDatabase } from '../packages/server/src/platform/db/connect.ts';
import { migrate } from '../packages/server/src/platform/db/migrate.ts';
import { raw, sql } from '../packages/server/src/platform/db/sql.ts';
import { startThrowawayServer } from '../packages/server/test/support/throwaway-server.ts';
import { loadRegister, PARTIES } from './support/load-register.ts';
import { runService } from './support/run-service.ts';
import { printTable, type Row } from './support/table.ts';

const LARGE = Number(process.env.INVOICES ?? 1_000_000);
const SMALL = Math.floor(LARGE / 10);
const CALLS = Number(process.env.CALLS ?? 60);
const MOST_GROWTH = 4 / 3;

const ROLES: Readonly<Record<InvoiceSubjectType, string>> = {
  Subject1: PARTIES.seller,
  Subject2: PARTIES.buyer,
  Subject3: PARTIES.third,
  SubjectAuthorized: PARTIES.authorized,
};
const DATES: Readonly<Record<DateType, string>> = {
  PermanentStorage: 'stored_us',
  Invoicing: 'invoicing_at',
  Issue: 'issue_date',
};
/** The days of the first tenth, which both sizes have. */
const FROM = Date.parse('2026-09-01T06:00:00Z');
const SPAN = SMALL * 5_000;

const server = await startThrowawayServer();
const database = openDatabase(server.url, { poolSize: 2, statementTimeoutMs: 0 });
await migrate(database, { clock: systemClock });
const service = await runService('--database-url', server.url);
const client = createClient({ baseUrl: service.url });
const logins = new Map<string, Login>();

async function loginOf(nip: string): Promise<Login> {
  const known = logins.get(nip);
  if (known) return known;
  const login = await client.auth.loginBySignature(sealCertificate({ name: 'Firma', nip }), {
    type: 'Nip',
    value: nip,
  });
  logins.set(nip, login);
  return login;
}

const quantile = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] as number;
const median = (values: number[]) => quantile(values, 0.5);
const ms = (value: number) => `${value.toFixed(2)} ms`;

/** The median; and the lower quartile, which other work on the machine moves less, to compare two moments. */
interface Measured {
  median: number;
  low: number;
}

async function measure(work: (at: number) => Promise<unknown>): Promise<Measured> {
  const times: number[] = [];
  for (let call = -5; call < CALLS; call += 1) {
    const watch = stopwatch();
    await work(FROM + (((call + 5) * 0.618) % 1) * SPAN * 0.5);
    if (call >= 0) times.push(watch());
  }
  return { median: median(times), low: quantile(times, 0.25) };
}

/** The same rows by one statement over one connection, as the driver gives them. */
async function barePage(role: InvoiceSubjectType, date: DateType, from: Date): Promise<number> {
  const columns = raw(
    'i.number, i.form, i.invoice_number, i.issue_date, i.invoicing_at, i.acquired_at, i.stored_us, i.mode, i.net, i.vat, i.gross, i.currency, i.hash, i.metadata',
  );
  const third = role === 'Subject3';
  const column = raw(`${third ? 'p' : 'i'}.${DATES[date]}`);
  const source = third ? raw('invoice_third_party p join invoice i on i.id = p.invoice') : raw('invoice i');
  const owner = third
    ? sql`p.party_type = 'Nip' and p.party_value = ${ROLES[role]}`
    : sql`${raw({ Subject1: 'i.seller_nip', Subject2: 'i.buyer_nip', SubjectAuthorized: 'i.authorized_nip' }[role])} = ${ROLES[role]}`;
  const stored = raw(`${third ? 'p' : 'i'}.stored_us is not null`);
  const lower = date === 'PermanentStorage' ? String(from.getTime() * 1000) : from;
  const rows = await database.query(
    sql`select ${columns} from ${source} where ${owner} and ${stored} and ${column} >= ${lower} order by ${column}, ${raw(third ? 'p.number' : 'i.number')} limit 250`,
  );
  return rows.length;
}

async function pages(): Promise<Map<string, { page: Measured; bare: Measured }>> {
  const found = new Map<string, { page: Measured; bare: Measured }>();
  for (const [role, nip] of Object.entries(ROLES) as [InvoiceSubjectType, string][]) {
    const { transport } = await loginOf(nip);
    for (const dateType of Object.keys(DATES) as DateType[]) {
      const bare = await measure((at) => barePage(role, dateType, new Date(at)));
      const page = await measure(async (at) => {
        const to = new Date(FROM + 80 * 86_400_000).toISOString();
        const dateRange = { dateType, from: new Date(at).toISOString(), to };
        const answer = await transport.call(queryMetadata, {
          query: { pageSize: 250 },
          body: { subjectType: role, dateRange },
        });
        if (answer.invoices.length !== 250) throw new Error(`${role} ${dateType}: ${answer.invoices.length} of 250`);
      });
      found.set(`${role} by ${dateType}`, { page, bare });
    }
  }
  return found;
}

async function exportRows(): Promise<Row[]> {
  const { invoices } = await loginOf(PARTIES.exporter);
  const dateRange = {
    dateType: 'PermanentStorage' as const,
    from: new Date(FROM).toISOString(),
    to: new Date(FROM + 80 * 86_400_000).toISOString(),
  };
  const bareWatch = stopwatch();
  let bytes = 0;
  for (let start = 0; start < 10_000; start += 50) {
    const rows = await database.query<{ document: Buffer }>(sql`
      select * from invoice where seller_nip = ${PARTIES.exporter} and stored_us is not null order by stored_us, number offset ${start} limit 50`);
    for (const { document } of rows) bytes += document.length;
  }
  const bare = bareWatch();
  const rows: Row[] = [];
  for (const compression of ['Zip', 'TarGz'] as const) {
    const watch = stopwatch();
    const started = await invoices.startExport({ subjectType: 'Subject1', dateRange }, { compression });
    const ready = await invoices.waitForExport(started.referenceNumber, { firstPauseMs: 50, longestPauseMs: 100 });
    const built = watch();
    if (ready.invoiceCount !== 10_000) throw new Error(`${ready.invoiceCount} of 10,000`);
    await invoices.openPackage(started, ready);
    rows.push({
      what: `export of 10,000, ${compression}, until it is ready`,
      value: `${(built / 1000).toFixed(2)} s`,
      limit: `${(bare / 1000).toFixed(2)} s`,
      ratio: built / bare,
      note: `${(bytes / 1e6).toFixed(0)} MB of documents, package ${(ready.size / 1e6).toFixed(1)} MB, with download and checks ${(watch() / 1000).toFixed(2)} s`,
    });
  }
  return rows;
}

try {
  const watch = stopwatch();
  await loadRegister(database, 0, SMALL - 1);
  const smallLoaded = watch();
  const small = await pages();
  const again = stopwatch();
  await loadRegister(database, SMALL, LARGE - 1);
  const loaded = smallLoaded + again();
  const large = await pages();
  printTable(
    `Pages of 250 records over HTTP, ${LARGE} invoices (loaded in ${(loaded / 1000).toFixed(0)} s), median of ${CALLS}; limit: bare SQL`,
    [...large].map(([what, { page, bare }]) => ({
      what,
      value: ms(page.median),
      limit: ms(bare.median),
      ratio: page.median / bare.median,
    })),
  );
  printTable('Exports; limit: bare SQL reading the same rows', await exportRows());
  const growth = [...large].map(([what, { page }]) => {
    const before = small.get(what)?.page.low ?? Number.NaN;
    return { what, value: ms(page.low), limit: ms(before), ratio: page.low / before };
  });
  printTable(`Growth from ${SMALL} to ${LARGE} invoices, lower quartiles; at most ${MOST_GROWTH.toFixed(2)}`, growth);
  const overall = median(growth.map(({ ratio }) => ratio));
  const slower = growth.filter(({ ratio }) => ratio > MOST_GROWTH).map(({ what }) => what);
  console.log(
    `\nMedian growth ${overall.toFixed(2)}; above the limit: ${slower.length === 0 ? 'none' : slower.join(', ')}. ${(watch() / 1000).toFixed(0)} s in all.`,
  );
  // Every role and date by itself: a good average would hide a bad index.
  if (slower.length > 0) process.exitCode = 1;
} finally {
  await service.stop();
  await database.close();
  await server.stop();
}
