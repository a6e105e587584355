import { sendInvoice } from '@kwit/contract/session-endpoints';
import { type ContentKey, encryptedInvoice } from './content-cipher.ts';
import type { SessionInvoice, SessionStatus, Sessions } from './sessions.ts';
import type { Transport } from './transport.ts';
import type { WaitOptions } from './wait.ts';

export interface SendOptions {
  /** The invoice was issued offline. */
  offlineMode?: boolean;
  /** SHA-256 (Base64) of a refused offline invoice that this one corrects technically. */
  hashOfCorrectedInvoice?: string;
}

export interface SentInvoice {
  referenceNumber: string;
  /** SHA-256 of the document, Base64: what verification links and technical corrections name. */
  invoiceHash: string;
}

/** An open interactive session: encrypts what it is given and sends it. */
export interface OnlineSession {
  readonly referenceNumber: string;
  readonly validUntil: string;
  /** Sends one document; its judgement comes later. */
  send(document: string | Uint8Array, options?: SendOptions): Promise<SentInvoice>;
  waitForInvoice(sent: SentInvoice | string, options?: WaitOptions): Promise<SessionInvoice>;
  read(): Promise<SessionStatus>;
  /** No more invoices; processing ends by itself and the collective receipt is made. */
  close(): Promise<void>;
  /** After `close`: until the receipt is ready. */
  wait(options?: WaitOptions): Promise<SessionStatus>;
}

export function createOnlineSession(
  transport: Transport,
  sessions: Sessions,
  opened: { referenceNumber: string; validUntil: string },
  contentKey: ContentKey,
): OnlineSession {
  const { referenceNumber, validUntil } = opened;
  return {
    referenceNumber,
    validUntil,
    async send(document, options = {}) {
      const bytes = typeof document === 'string' ? Buffer.from(document, 'utf8') : document;
      const body = { ...encryptedInvoice(contentKey, bytes), ...options };
      const accepted = await transport.call(sendInvoice, { params: { referenceNumber }, body });
      return { referenceNumber: accepted.referenceNumber, invoiceHash: body.invoiceHash };
    },
    waitForInvoice: (sent, options) =>
      sessions.waitForInvoice(referenceNumber, typeof sent === 'string' ? sent : sent.referenceNumber, options),
    read: () => sessions.read(referenceNumber),
    close: () => sessions.closeOnline(referenceNumber),
    wait: (options) => sessions.waitForSession(referenceNumber, options),
  };
}
