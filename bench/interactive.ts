/** Interactive invoices end to end: latency to the number at a steady 100/s, and the highest sustained rate, beside the bare pipeline. */
import { randomBytes } from 'node:crypto';
import { createClient } from '@kwit/client/client';
import { encryptForKey } from '@kwit/client/encrypt-for-key';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { sealCertificate } from '@kwit/client/test-certificates';
import { openOnlineSession } from '@kwit/contract/session-endpoints';
import { barePipeline } from './support/bare-pipeline.ts';
import { cpuPerPiece, cpuRow, cpuTimes } from './support/cpu.ts';
import { loop, percentile } from './support/load.ts';
import { runService } from './support/run-service.ts';
import { rawSender, sendBody } from './support/send-raw.ts';
import { printTable, type Row } from './support/table.ts';

const NIP = '5265877635';
const KILOBYTES = 10;
const CONNECTIONS = 32;
/** Invoices before the clock starts. */
const WARMING = 200;

export async function benchInteractive(options: { count: number; steadySeconds: number }): Promise<Row[]> {
  const today = new Date().toISOString().slice(0, 10);
  const documents = Array.from({ length: WARMING + options.count + options.steadySeconds * 100 }, (_, i) =>
    sampleInvoice({
      seller: { nip: NIP, name: 'Bench' },
      buyer: { nip: '1234563218', name: 'B' },
      number: `B/${i}`,
      issueDate: today,
      bytes: KILOBYTES * 1000,
    }),
  );
  const bare = await barePipeline(documents.slice(0, WARMING + options.count), {
    workers: 2,
    batch: 50,
    warming: WARMING,
  });

  const service = await runService('--workers', '2');
  try {
    const client = createClient({ baseUrl: service.url });
    const login = await client.auth.loginBySignature(sealCertificate({ name: 'Bench', nip: NIP }), {
      type: 'Nip',
      value: NIP,
    });
    const key = randomBytes(32);
    const vector = randomBytes(16);
    const open = async () => {
      const wrapped = await client.auth.publicKeys.using('SymmetricKeyEncryption', async (published) =>
        login.call(openOnlineSession, {
          body: {
            formCode: { systemCode: 'FA (3)', schemaVersion: '1-0E', value: 'FA' },
            encryption: {
              encryptedSymmetricKey: encryptForKey(published.publicKey, key, client.transport.environment).toString(
                'base64',
              ),
              initializationVector: vector.toString('base64'),
            },
          },
        }),
      );
      return wrapped.referenceNumber;
    };
    const sender = rawSender(service.url, await login.accessToken(), CONNECTIONS);
    const prepare = async (xmls: readonly string[]) => {
      const sessions = await Promise.all(Array.from({ length: 8 }, open));
      const requests = xmls.map((xml, turn) =>
        sender.prepare(`/sessions/online/${sessions[turn % sessions.length]}/invoices`, sendBody(key, vector, xml)),
      );
      return { sessions, requests };
    };
    const sendAll = (requests: readonly Buffer[]) =>
      loop((turn) => sender.send(requests[turn] as Buffer), { concurrency: CONNECTIONS, turns: requests.length });
    const finish = async (sessions: readonly string[]) => {
      await Promise.all(sessions.map((reference) => login.sessions.closeOnline(reference)));
      await Promise.all(sessions.map((reference) => login.sessions.waitForSession(reference)));
    };
    // As many as the bare pipeline gets: threads compile their schemas once, that is not what is measured.
    const warming = await prepare(documents.slice(0, WARMING));
    await sendAll(warming.requests);
    await finish(warming.sessions);

    const { sessions, requests } = await prepare(documents.slice(WARMING, WARMING + options.count));
    const cpuBefore = cpuTimes(service.pid);
    const began = performance.now();
    await sendAll(requests);
    const accepted = (performance.now() - began) / 1000;
    await finish(sessions);
    const finished = (performance.now() - began) / 1000;
    const cpuAfter = cpuTimes(service.pid);
    sender.close();

    const steady = await login.sessions.openOnline('FA (3)');
    const steadyCount = options.steadySeconds * 100;
    await Promise.all(
      Array.from({ length: steadyCount }, async (_, i) => {
        await new Promise((resolve) => setTimeout(resolve, i * 10));
        await steady.send(documents[WARMING + options.count + i] as string);
      }),
    );
    await steady.close();
    await steady.wait();
    const latencies: number[] = [];
    for await (const invoice of login.sessions.invoices(steady.referenceNumber, { pageSize: 1000 })) {
      if (invoice.acquisitionDate)
        latencies.push(Date.parse(invoice.acquisitionDate) - Date.parse(invoice.invoicingDate));
    }
    const rate = options.count / finished;
    return [
      {
        what: `invoices of ${KILOBYTES} KB, sent to final`,
        value: `${rate.toFixed(0)}/s`,
        limit: `${bare.perSecond.toFixed(0)}/s bare pipeline`,
        ratio: rate / bare.perSecond,
      },
      cpuRow(cpuPerPiece(cpuBefore, cpuAfter, options.count), bare.cpuMs),
      { what: 'the same, sent to accepted (202)', value: `${(options.count / accepted).toFixed(0)}/s` },
      {
        what: 'latency to number at 100/s',
        value: `p50 ${percentile(latencies, 50)} ms, p99 ${percentile(latencies, 99)} ms`,
        note: `${latencies.length} invoices`,
      },
      { what: 'memory of the service afterwards', value: `${service.memory()} MB` },
    ];
  } finally {
    await service.stop();
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  printTable('Interactive sessions', await benchInteractive({ count: 3000, steadySeconds: 10 }));
}
