import type { Input, Output } from '@kwit/contract/endpoint';
import type { UpoVersion } from '@kwit/contract/enumerations';
import { type FormCode, INVOICE_FORMS, type SystemCode } from '@kwit/contract/invoice-forms';
import { NAMES } from '@kwit/contract/names';
import * as endpoints from '@kwit/contract/session-endpoints';
import { newContentKey } from './content-cipher.ts';
import { encryptForKey } from './encrypt-for-key.ts';
import { continuedListing, type ItemOf, type Listing } from './listing.ts';
import { createOnlineSession, type OnlineSession } from './online-session.ts';
import type { PublicKeys } from './public-keys.ts';
import { createReceipts, type Receipts } from './receipts.ts';
import type { Transport } from './transport.ts';
import { type WaitOptions, waitFor } from './wait.ts';

export type SessionStatus = Output<typeof endpoints.readSession>;
export type SessionInvoice = Output<typeof endpoints.readSessionInvoice>;
export type ListedSession = ItemOf<typeof endpoints.listSessions, 'sessions'>;
type InvoicePage = Output<typeof endpoints.listSessionInvoices>;

export interface OpenOptions {
  /** Version of the receipts, default v4-3. */
  upoVersion?: UpoVersion;
}

export interface Sessions {
  /**
   * Opens an interactive session with a content key of its own.
   * @example const online = await login.sessions.openOnline('FA (3)'); const { referenceNumber } = await online.send(xml);
   */
  openOnline(form?: SystemCode | FormCode, options?: OpenOptions): Promise<OnlineSession>;
  closeOnline(referenceNumber: string): Promise<void>;
  list(
    query: Input<typeof endpoints.listSessions, 'query'>,
  ): Listing<Output<typeof endpoints.listSessions>, ListedSession>;
  read(referenceNumber: string): Promise<SessionStatus>;
  invoices(referenceNumber: string, query?: { pageSize?: number }): Listing<InvoicePage, SessionInvoice>;
  failedInvoices(referenceNumber: string, query?: { pageSize?: number }): Listing<InvoicePage, SessionInvoice>;
  invoice(referenceNumber: string, invoiceReference: string): Promise<SessionInvoice>;
  /** Until the invoice has its number; throws `OperationFailed` with status and details when it was refused. */
  waitForInvoice(referenceNumber: string, invoiceReference: string, options?: WaitOptions): Promise<SessionInvoice>;
  /** Until a closed session is processed and its receipt ready; throws `OperationFailed` when none of its invoices was good. */
  waitForSession(referenceNumber: string, options?: WaitOptions): Promise<SessionStatus>;
  receipts: Receipts;
}

export function createSessions(transport: Transport, publicKeys: PublicKeys): Sessions {
  const { environment } = transport;
  const sessions: Sessions = {
    async openOnline(form = 'FA (3)', options = {}) {
      const formCode = formCodeOf(form);
      const contentKey = newContentKey(environment);
      const headers = options.upoVersion && {
        [NAMES[transport.name].featureHeader]: `upo-${options.upoVersion}`,
      };
      const opened = await publicKeys.using('SymmetricKeyEncryption', ({ publicKey, publicKeyId }) =>
        transport.call(endpoints.openOnlineSession, {
          headers: headers ?? {},
          body: {
            formCode,
            encryption: {
              encryptedSymmetricKey: encryptForKey(publicKey, contentKey.key, environment).toString('base64'),
              initializationVector: contentKey.vector.toString('base64'),
              publicKeyId,
            },
          },
        }),
      );
      return createOnlineSession(transport, sessions, opened, contentKey);
    },
    closeOnline: (referenceNumber) => transport.call(endpoints.closeOnlineSession, { params: { referenceNumber } }),
    list: (query) => continuedListing(transport, endpoints.listSessions, { query }, 'sessions'),
    read: (referenceNumber) => transport.call(endpoints.readSession, { params: { referenceNumber } }),
    invoices: (referenceNumber, query = {}) =>
      continuedListing(transport, endpoints.listSessionInvoices, { params: { referenceNumber }, query }, 'invoices'),
    failedInvoices: (referenceNumber, query = {}) =>
      continuedListing(transport, endpoints.listFailedInvoices, { params: { referenceNumber }, query }, 'invoices'),
    invoice: (referenceNumber, invoiceReferenceNumber) =>
      transport.call(endpoints.readSessionInvoice, { params: { referenceNumber, invoiceReferenceNumber } }),
    waitForInvoice: (referenceNumber, invoiceReference, options) =>
      waitFor(
        environment,
        {
          operation: 'invoice',
          referenceNumber: invoiceReference,
          read: () => sessions.invoice(referenceNumber, invoiceReference),
          statusOf: ({ status }) => status,
        },
        options,
      ),
    waitForSession: (referenceNumber, options) =>
      waitFor(
        environment,
        {
          operation: 'session',
          referenceNumber,
          read: () => sessions.read(referenceNumber),
          statusOf: ({ status }) => status,
        },
        options,
      ),
    receipts: createReceipts(transport),
  };
  return sessions;
}

function formCodeOf(form: SystemCode | FormCode): FormCode {
  const code = typeof form === 'string' ? INVOICE_FORMS.find(({ systemCode }) => systemCode === form) : form;
  if (code === undefined) {
    throw new Error(`There is no form ${form}; known are ${INVOICE_FORMS.map((known) => known.systemCode).join(', ')}`);
  }
  const { systemCode, schemaVersion, value } = code;
  return { systemCode, schemaVersion, value };
}
