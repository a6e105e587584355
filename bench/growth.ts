/**
 * Does the service stay as it is while the register grows? 20,000 invoices in packages of 5,000, with the memory of the service after each;
 * then the register is filled by SQL and one more package is sent: its rate beside the first ones shows what a stored invoice costs the next.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sendBatch } from '@kwit/client/batch';
import { createClient } from '@kwit/client/client';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { sealCertificate } from '@kwit/client/test-certificates';
import { openDatabase } from '@kwit/server/platform/db/connect';
import { startEmbedded } from '@kwit/server/platform/db/embedded';
import { raw } from '@kwit/server/platform/db/sql';
import { silentLog } from '@kwit/server/platform/log-sink';
import { cpuPerPiece, cpuTimes } from './support/cpu.ts';
import { loadRegister } from './support/load-register.ts';
import { runService } from './support/run-service.ts';
import { printTable, type Row } from './support/table.ts';

const NIP = '5265877635';
const PACKAGE = 5_000;
const PACKAGES = 4;
const FILLED = Number(process.env.INVOICES ?? 300_000);

interface Sent {
  perSecond: number;
  /** Of the service and its database, without this program that packs and encrypts. */
  cpuMs: number;
}

const folder = mkdtempSync(join(tmpdir(), 'kwit-growth-'));
const embedded = await startEmbedded(folder, { log: silentLog });
const database = openDatabase(embedded.url, { poolSize: 2, statementTimeoutMs: 0 });
process.env.DATABASE_URL = embedded.url;
const service = await runService('--workers', '2');
try {
  const client = createClient({ baseUrl: service.url });
  const login = await client.auth.loginBySignature(sealCertificate({ name: 'Bench', nip: NIP }), {
    type: 'Nip',
    value: NIP,
  });
  const today = new Date().toISOString().slice(0, 10);
  const send = async (series: number): Promise<Sent> => {
    const files = Array.from({ length: PACKAGE }, (_, i) => ({
      name: `${i}.xml`,
      read: async () =>
        Buffer.from(
          sampleInvoice({
            seller: { nip: NIP, name: 'B' },
            buyer: { nip: '1234563218', name: 'N' },
            number: `${series}/${i}`,
            issueDate: today,
            bytes: 5_000,
          }),
        ),
    }));
    const before = cpuTimes(service.pid, process.pid);
    const began = performance.now();
    await sendBatch(login.transport, files);
    const perSecond = PACKAGE / ((performance.now() - began) / 1000);
    const cost = cpuPerPiece(before, cpuTimes(service.pid, process.pid), PACKAGE);
    return { perSecond, cpuMs: cost.mainThread + cost.otherThreads + cost.postgres };
  };
  const rows: Row[] = [];
  const before: Sent[] = [];
  for (let series = 0; series < PACKAGES; series += 1) {
    const sent = await send(series);
    before.push(sent);
    rows.push({
      what: `package ${series + 1}, ${(series + 1) * PACKAGE} stored`,
      value: `${sent.perSecond.toFixed(0)}/s`,
      note: `${service.memory()} MB, ${sent.cpuMs.toFixed(2)} ms of processor time an invoice`,
    });
  }
  // Numbers far from those of the packages, which the register already has. What was loaded is written out before the next package.
  await loadRegister(database, 10_000_000, 10_000_000 + FILLED);
  await database.execute(raw('checkpoint'));
  const after = await send(PACKAGES);
  const mean = (of: (sent: Sent) => number) =>
    before.slice(1).reduce((sum, sent) => sum + of(sent), 0) / (PACKAGES - 1);
  const [rate, cost] = [mean((sent) => sent.perSecond), mean((sent) => sent.cpuMs)];
  rows.push(
    {
      what: `package ${PACKAGES + 1}, ${FILLED} more stored`,
      value: `${after.perSecond.toFixed(0)}/s`,
      limit: `${rate.toFixed(0)}/s before`,
      ratio: after.perSecond / rate,
      note: `${service.memory()} MB`,
    },
    {
      what: 'processor time of the service an invoice',
      value: `${after.cpuMs.toFixed(2)} ms`,
      limit: `${cost.toFixed(2)} ms before`,
      ratio: cost / after.cpuMs,
    },
  );
  printTable('Packages sent, packed to receipt, while the register grows', rows);
} finally {
  await service.stop();
  await database.close();
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
}
