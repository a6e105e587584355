/**
 * A package from its close to its final status, beside the bare pipeline in the same run: the same documents decrypted, hashed,
 * validated, read and inserted by the same number of threads, without HTTP and without states. Prints invoices per second, their
 * ratio, and the peak memory of the service. Usage: batch.ts [invoices] [bytes each] [threads]
 */
import { readFileSync } from 'node:fs';
import { createClient, sealCertificate } from '@kwit/client';
import { closeBatch, openBatch, preparePackage, uploadParts } from '@kwit/client/batch';
import { systemEnvironment } from '@kwit/client/environment';
import { createPublicKeys } from '@kwit/client/public-keys';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { barePipeline } from './support/bare-pipeline.ts';
import { type CpuTimes, cpuPerPiece, cpuRow, cpuTimes } from './support/cpu.ts';
import { type BenchService, runService } from './support/run-service.ts';
import { printTable } from './support/table.ts';

const COUNT = Number(process.argv[2] ?? 10_000);
const BYTES = Number(process.argv[3] ?? 10_000);
const THREADS = Number(process.argv[4] ?? 2);
const BATCH = 50;
const NIP = '5265877635';
const day = new Date().toISOString().slice(0, 10);

/** Invoices before the clock starts, in both pipelines. */
const WARMING = 200;

const documents = Array.from({ length: WARMING + COUNT }, (_, i) =>
  sampleInvoice({
    number: `B/${i}`,
    issueDate: day,
    bytes: BYTES,
    seller: { nip: NIP, name: 'Sprzedawca' },
    buyer: { nip: '1234563218', name: 'Nabywca' },
  }),
);
const service = await runService('--workers', String(THREADS));
const packaged = await throughService(service, documents).finally(() => service.stop());
const bare = await barePipeline(documents, { workers: THREADS, batch: BATCH, warming: WARMING });
printTable(`${COUNT} invoices of ${BYTES} bytes in one package, ${THREADS} threads`, [
  {
    what: 'from close to final status',
    value: `${Math.round(packaged.perSecond)} invoices/s`,
    limit: `${Math.round(bare.perSecond)} invoices/s`,
    ratio: packaged.perSecond / bare.perSecond,
    note: `${(COUNT / packaged.perSecond).toFixed(1)} s`,
  },
  cpuRow(packaged.cpu, bare.cpuMs),
  { what: 'peak memory of the service', value: `${packaged.peakMb} MB`, limit: '600 MB' },
]);

/** The service does all of its work: parts from the disk, unpacking, rows, verdicts, numbers, receipt pages. */
async function throughService(
  { url, pid }: BenchService,
  texts: readonly string[],
): Promise<{ perSecond: number; peakMb: number; cpu: CpuTimes }> {
  const login = await createClient({ baseUrl: url }).auth.loginBySignature(
    sealCertificate({ name: 'Firma', nip: NIP }, { validFrom: Date.now() - 3_600_000 }),
    { type: 'Nip', value: NIP },
  );
  const prepare = async (part: readonly string[]) => {
    const files = part.map((text, i) => ({ name: `${i}.xml`, size: BYTES, read: () => Buffer.from(text) }));
    const prepared = await preparePackage(files, {}, systemEnvironment);
    const opened = await openBatch(login.transport, createPublicKeys(login.transport), prepared);
    await uploadParts(login.transport, opened.partUploadRequests, prepared.parts);
    await prepared.remove();
    return opened.referenceNumber;
  };
  const finish = async (reference: string, count: number) => {
    await closeBatch(login.transport, reference);
    for (;;) {
      const { status, successfulInvoiceCount } = await login.sessions.read(reference);
      if (status.code === 200 && successfulInvoiceCount === count) break;
      if (status.code !== 150) throw new Error(`the package ended with ${status.code}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  await finish(await prepare(texts.slice(0, WARMING)), WARMING);
  const reference = await prepare(texts.slice(WARMING));
  const before = cpuTimes(pid);
  const start = performance.now();
  await finish(reference, COUNT);
  const seconds = (performance.now() - start) / 1000;
  const cpu = cpuPerPiece(before, cpuTimes(pid), COUNT);
  return { perSecond: COUNT / seconds, peakMb: peakMb(pid), cpu };
}

/** Highest resident memory so far; NaN where the system does not tell. */
function peakMb(pid: number): number {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
  } catch {
    return Number.NaN;
  }
}
