import { ApiError } from '@kwit/client/api-error';
import { type Client, createClient } from '@kwit/client/client';
import type { Login } from '@kwit/client/login';
import type { OnlineSession } from '@kwit/client/online-session';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { sealCertificate } from '@kwit/client/test-certificates';

/** What a seller knows for certain: the service said so. */
export interface Known {
  nip: string;
  /** Sessions whose opening was confirmed. */
  sessions: string[];
  /** Invoices whose 202 arrived. */
  acknowledged: { session: string; reference: string; hash: string }[];
  /** Number on the document by its hash, of everything that was sent, confirmed or not. */
  numbers: Map<string, string>;
  logins: number;
  /** Answers nobody should get. */
  surprises: string[];
}

export interface Seller {
  known: Known;
  client: Client;
  logIn(): Promise<Login>;
  /** Goes on until told to stop, whatever happens to the service. */
  run(): Promise<void>;
  stop(): void;
}

const INVOICES_IN_A_SESSION = 12;
const A_WHILE_MS = 40;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A seller who logs in, opens sessions, sends, sends some documents twice, and begins again where the service broke off. */
export function createSeller(options: { url: string; nip: string; random: () => number; today: string }): Seller {
  const { url, nip, random, today } = options;
  const client = createClient({ baseUrl: url, retries: 0, timeoutMs: 15_000 });
  const certificate = sealCertificate({ name: `Firma ${nip}`, nip });
  const known: Known = { nip, sessions: [], acknowledged: [], numbers: new Map(), logins: 0, surprises: [] };
  const documents: string[] = [];
  let running = true;
  let login: Login | undefined;
  let session: { online: OnlineSession; sent: number } | undefined;

  const logIn = () =>
    client.auth.loginBySignature(
      certificate,
      { type: 'Nip', value: nip },
      { wait: { firstPauseMs: 20, longestPauseMs: 200, timeoutMs: 30_000 } },
    );

  async function step(): Promise<void> {
    if (login === undefined) {
      login = await logIn();
      known.logins += 1;
    }
    if (session !== undefined && session.sent >= INVOICES_IN_A_SESSION) {
      const { online } = session;
      session = undefined;
      await online.close();
    }
    if (session === undefined) {
      const online = await login.sessions.openOnline();
      known.sessions.push(online.referenceNumber);
      session = { online, sent: 0 };
    }
    const again = documents.length > 0 && random() < 0.15;
    const number = `FV/${nip}/${documents.length + 1}`;
    const document = again
      ? (documents[Math.floor(random() * documents.length)] as string)
      : sampleInvoice({ seller: { nip, name: 'Firma' }, number, issueDate: today });
    if (!again) documents.push(document);
    const current = session;
    current.sent += 1;
    const { referenceNumber, invoiceHash } = await current.online.send(document);
    known.acknowledged.push({ session: current.online.referenceNumber, reference: referenceNumber, hash: invoiceHash });
  }

  return {
    known,
    client,
    logIn,
    stop: () => {
      running = false;
    },
    async run() {
      while (running) {
        try {
          await step();
        } catch (error) {
          // A refusal is an answer, and there is nothing to refuse here. No answer, or a 5xx, promises nothing.
          if (error instanceof ApiError && error.status < 500)
            known.surprises.push(`${nip}: ${error.status} ${error.message}`);
          session = undefined;
          // Half of the time with a new login, so that logins are broken off too.
          if (random() < 0.5) login = undefined;
          await pause(A_WHILE_MS);
        }
      }
    },
  };
}
