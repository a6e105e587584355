import { createClient } from '@kwit/client/client';
import type { Login } from '@kwit/client/login';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { sealCertificate } from '@kwit/client/test-certificates';
import { warsawDay } from '@kwit/contract/date-time';
import { belowFromBytes, randomNip } from '@kwit/contract/identifier-samples';
import { getInvoice, queryMetadata } from '@kwit/contract/retrieval-endpoints';
import type { Io } from './io.ts';
import { clientFor, SERVICE_HELP, SERVICE_OPTIONS } from './login-options.ts';
import { OK, readArguments, runCommand } from './run-command.ts';

const HELP = `Usage: kwit demo [options]

Shows the whole way of one invoice: two companies log in, one sends, the service numbers and receipts it, the other finds and reads it.
Without --url and with no service on the default address it starts one of its own, with throw-away data.

${SERVICE_HELP}`;

/** `kwit demo`: the first minute. Each step says in a line what happens and why. */
export function demoCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'demo', help: HELP, args }, async () => {
    const { values } = readArguments(args, SERVICE_OPTIONS);
    const client = clientFor(values, io);
    const { url, stop } = await serviceFor(client.transport.baseUrl, values.url !== undefined, io);
    try {
      await show(createClient({ baseUrl: url, name: values.name === 'ksef' ? 'ksef' : 'svc' }), io);
    } finally {
      await stop();
    }
    return OK;
  });
}

/** The running service, or one made for the occasion. */
async function serviceFor(url: string, named: boolean, io: Io): Promise<{ url: string; stop: () => Promise<void> }> {
  const answers = await fetch(`${url}/health/live`).then(
    (response) => response.ok,
    () => false,
  );
  if (answers || named) return { url, stop: async () => {} };
  io.out(`No service answers at ${url}, so the demo starts one with throw-away data.\n`);
  const { readConfig, startService } = await import('@kwit/server');
  const service = await startService(readConfig(['--ephemeral', '--port', '0', '--log-level', 'error'], {}));
  return { url: service.url, stop: () => service.stop() };
}

async function show(client: ReturnType<typeof createClient>, io: Io): Promise<void> {
  const random = belowFromBytes((length) => client.transport.environment.bytes(length));
  const [sellerNip, buyerNip] = [randomNip(random), randomNip(random)];
  const step = (text: string) => io.out(text);

  step(
    `1. Seller ${sellerNip} and buyer ${buyerNip} log in: each signs a challenge with a test seal (XAdES) and redeems its tokens.`,
  );
  const logIn = (nip: string, name: string): Promise<Login> =>
    client.auth.loginBySignature(sealCertificate({ name, nip }), { type: 'Nip', value: nip });
  const seller = await logIn(sellerNip, 'Sprzedawca');
  const buyer = await logIn(buyerNip, 'Nabywca');

  step('2. The seller opens an interactive session: an AES key of its own, wrapped for the key the service publishes.');
  const session = await seller.sessions.openOnline('FA (3)');

  step('3. It sends one encrypted FA(3) invoice; the service decrypts, verifies it against its schema, and decides.');
  const xml = sampleInvoice({
    seller: { nip: sellerNip, name: 'Sprzedawca' },
    buyer: { nip: buyerNip, name: 'Nabywca' },
    number: `DEMO/${client.transport.environment.now()}`,
    issueDate: warsawDay(client.transport.environment.now()),
  });
  const invoice = await session.waitForInvoice(await session.send(xml));
  const number = invoice.svcNumber ?? '';
  step(`   ${invoice.status.code} ${invoice.status.description}: number ${number}, ${invoice.invoicingMode}`);

  step('4. The seller closes the session and fetches the signed receipt (UPO) of the invoice.');
  await session.close();
  await session.wait();
  const receipt = await seller.sessions.receipts.byNumber(session.referenceNumber, number);
  step(`   ${receipt.xml.length} bytes, SHA-256 ${receipt.hash}, sealed by the service`);

  step('5. The buyer finds the invoice among those that name it, without being told its number.');
  const from = new Date(client.transport.environment.now() - 3_600_000).toISOString();
  const found = await buyer.call(queryMetadata, {
    query: {},
    body: { subjectType: 'Subject2', dateRange: { dateType: 'PermanentStorage', from } },
  });
  const [metadata] = found.invoices;
  step(
    `   ${metadata?.invoiceNumber} from ${metadata?.seller.name}: ${metadata?.grossAmount.toFixed(2)} ${metadata?.currency}, ${metadata?.svcNumber}`,
  );

  step('6. It downloads the document: the very bytes that the seller sent.');
  const { bytes } = await buyer.transport.exchange(getInvoice, { params: { svcNumber: number } });
  step(
    bytes.toString() === xml ? `   ${bytes.length} bytes, identical` : '   the bytes DIFFER, which must never happen',
  );
  step(`\nDone. The API page of a running service is at /docs; 'kwit --help' lists what else can be done from here.`);
}
