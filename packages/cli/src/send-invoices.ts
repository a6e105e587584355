import {
  ApiError,
  type Login,
  type OnlineSession,
  OperationFailed,
  type SendOptions,
  type SessionInvoice,
  type SessionStatus,
} from '@kwit/client';
import type { SystemCode } from '@kwit/contract/invoice-forms';
import { CONTEXT_LIMITS } from '@kwit/contract/limits';
import type { InvoiceFile } from './invoice-files.ts';
import type { Progress } from './progress.ts';

/** What became of one file. */
export interface SendResult {
  file: string;
  session: string;
  accepted: boolean;
  /** `200 Sukces`, or why the service did not even take it. */
  status: string;
  number?: string;
  invoiceReference?: string;
  details: string[];
}

/** Requests under way at once: enough to hide the way to the service, few enough not to run into its limits. */
const AT_ONCE = 4;

/** Sends the files, in as many sessions as forms and limits ask for, and waits for every verdict. */
export async function sendInvoices(
  login: Login,
  files: readonly InvoiceFile[],
  options: SendOptions,
  progress: Progress,
): Promise<SendResult[]> {
  const results: SendResult[] = [];
  for (const [form, group] of inSessions(files)) {
    results.push(...(await sendSession(login, form, group, options, progress)));
  }
  return results.sort((a, b) => order(files, a.file) - order(files, b.file));
}

const order = (files: readonly InvoiceFile[], path: string) => files.findIndex((file) => file.path === path);

function inSessions(files: readonly InvoiceFile[]): [SystemCode, InvoiceFile[]][] {
  const most = CONTEXT_LIMITS.onlineSession.maxInvoices;
  return [...Map.groupBy(files, ({ form }) => form)].flatMap(([form, group]) =>
    Array.from(
      { length: Math.ceil(group.length / most) },
      (_, at) => [form, group.slice(at * most, (at + 1) * most)] as [SystemCode, InvoiceFile[]],
    ),
  );
}

async function sendSession(
  login: Login,
  form: SystemCode,
  files: readonly InvoiceFile[],
  options: SendOptions,
  progress: Progress,
): Promise<SendResult[]> {
  const session = await login.sessions.openOnline(form);
  const { sent, refused } = await sendAll(session, files, options, (done) =>
    progress.show(`${form} sent`, done, files.length),
  ).finally(() => session.close());
  await session
    .wait({
      timeoutMs: 60_000 + 2_000 * files.length,
      onStatus: (_, answer) => progress.show(`${form} judged`, judgedOf(answer as SessionStatus), sent.size),
    })
    .catch((error: unknown) => {
      // A session without a single good invoice fails as a whole; its invoices say why.
      if (!(error instanceof OperationFailed)) throw error;
    });
  const results = refused;
  for await (const invoice of login.sessions.invoices(session.referenceNumber, { pageSize: 1000 })) {
    const file = sent.get(invoice.referenceNumber);
    if (file) results.push(resultOf(file, session.referenceNumber, invoice));
  }
  return results;
}

const judgedOf = ({ successfulInvoiceCount = 0, failedInvoiceCount = 0 }: SessionStatus) =>
  successfulInvoiceCount + failedInvoiceCount;

/** What the service took, by reference, and what it refused to take. */
async function sendAll(
  session: OnlineSession,
  files: readonly InvoiceFile[],
  options: SendOptions,
  done: (count: number) => void,
): Promise<{ sent: Map<string, InvoiceFile>; refused: SendResult[] }> {
  const sent = new Map<string, InvoiceFile>();
  const refused: SendResult[] = [];
  const waiting = [...files];
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      try {
        sent.set((await session.send(file.bytes, options)).referenceNumber, file);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 400) throw error;
        refused.push(refusedAtOnce(file, session.referenceNumber, error));
      }
      done(sent.size + refused.length);
    }
  };
  done(0);
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { sent, refused };
}

function refusedAtOnce(file: InvoiceFile, session: string, error: ApiError): SendResult {
  const [problem] = error.problems;
  const status = problem ? `${problem.code} ${problem.description}` : `HTTP ${error.status}`;
  return { file: file.path, session, accepted: false, status, details: [...error.details] };
}

function resultOf(file: InvoiceFile, session: string, invoice: SessionInvoice): SendResult {
  const { status, svcNumber, referenceNumber } = invoice;
  return {
    file: file.path,
    session,
    invoiceReference: referenceNumber,
    accepted: status.code === 200,
    status: `${status.code} ${status.description}`,
    ...(svcNumber === undefined ? {} : { number: svcNumber }),
    details: status.details ?? [],
  };
}
