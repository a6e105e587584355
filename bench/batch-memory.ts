/**
 * Peak memory of the service while a large package of many parts goes through: invoices of a megabyte that hardly pack, and files of
 * ten that are no invoices at all. Usage: batch-memory.ts [megabytes]
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createClient, sealCertificate } from '@kwit/client';
import { type BatchFile, sendBatch } from '@kwit/client/batch';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { runService } from './support/run-service.ts';
import { printTable } from './support/table.ts';

const MEGABYTES = Number(process.argv[2] ?? 500);
const NIP = '5265877635';
const day = new Date().toISOString().slice(0, 10);

function invoice(number: string): Buffer {
  const parties = { seller: { nip: NIP, name: 'Sprzedawca' }, buyer: { nip: '1234563218', name: 'Nabywca' } };
  const base = sampleInvoice({ number, issueDate: day, ...parties });
  return Buffer.from(`${base}<!--${randomBytes(745_000).toString('base64')}-->`);
}

// Base64 packs to three quarters of itself.
const files: BatchFile[] = Array.from({ length: Math.floor(MEGABYTES / 2) }, (_, i) => ({
  name: `${i}.xml`,
  size: 1_000_000,
  read: () => invoice(`M/${i}`),
}));
for (let i = 0; i < Math.ceil(MEGABYTES / 16); i += 1) {
  files.push({ name: `${i}.bin`, size: 10_000_000, read: () => randomBytes(10_000_000) });
}

const service = await runService();
try {
  const login = await createClient({ baseUrl: service.url }).auth.loginBySignature(
    sealCertificate({ name: 'Firma', nip: NIP }, { validFrom: Date.now() - 3_600_000 }),
    { type: 'Nip', value: NIP },
  );
  const idle = service.memory();
  let bytes = 0;
  const { session } = await sendBatch(login.transport, files, {
    onProgress: (at) => {
      if (at.step === 'uploading') bytes = at.of;
    },
  });
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024;
  const counts = `${session.successfulInvoiceCount} accepted, ${session.failedInvoiceCount} refused`;
  printTable(`A package of ${Math.round(bytes / 1_000_000)} MB: ${session.status.code}, ${counts}`, [
    { what: 'resident memory before', value: `${idle} MB` },
    { what: 'peak of the service', value: `${Math.round(peak)} MB`, limit: '600 MB', ratio: peak / 600 },
  ]);
} finally {
  await service.stop();
}
