import { createHash } from 'node:crypto';
import type { Environment } from '@kwit/contract/enumerations';
import { INVOICE_FORMS } from '@kwit/contract/invoice-forms';
import type { Names } from '@kwit/contract/names';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, refuse } from '@kwit/contract/refusal';
import type { DocumentAnswer } from '../platform/binding.ts';
import type { Caller } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { KeyRing } from '../platform/keys/key-ring.ts';
import { buildUpo, type Upo, type UpoDocument } from '../receipts/build-upo.ts';
import { signUpo } from '../receipts/sign-upo.ts';
import type { SessionDeps } from './deps.ts';
import type { Session } from './model.ts';
import { readableSession } from './read-session.ts';
import { findInvoice } from './store.ts';
import {
  findInvoiceUpo,
  findReceiptRow,
  findUpoPage,
  keepInvoiceUpo,
  keepUpoPage,
  listReceiptRows,
  type ReceiptRow,
} from './upo-store.ts';

export interface ReceiptDeps {
  names: Names;
  environment: Environment;
  /** Evidence of the login that opened the session; a receipt prints one of the two. */
  evidenceOf: (on: Queryable, operation: string) => Promise<Upo['authentication'] | undefined>;
}

export type ReceiptKey = { number: string } | { invoiceReference: string } | { pageReference: string };

/** One of the three receipt reads. */
export async function readUpo(
  deps: SessionDeps & ReceiptDeps,
  caller: Caller,
  reference: string,
  key: ReceiptKey,
): Promise<DocumentAnswer> {
  const session = await readableSession(deps, caller, reference);
  const bytes =
    'pageReference' in key
      ? await pageUpo(deps, session, { reference: key.pageReference })
      : await oneUpo(deps, session, key);
  if (bytes) return documentAnswer(bytes);
  if ('number' in key) {
    throw refuse(21178, detail(DETAIL_TEXTS.upoByNumber, { svcNumber: key.number, referenceNumber: reference }));
  }
  const upoReferenceNumber = 'pageReference' in key ? key.pageReference : key.invoiceReference;
  throw refuse(21178, detail(DETAIL_TEXTS.upoByReference, { upoReferenceNumber, referenceNumber: reference }));
}

export function documentAnswer(bytes: Buffer): DocumentAnswer {
  return {
    contentType: 'application/xml',
    bytes,
    headers: { 'x-ms-meta-hash': createHash('sha256').update(bytes).digest('base64') },
  };
}

type MakeDeps = Pick<SessionDeps, 'database' | 'clock' | 'keys'> & ReceiptDeps;

async function oneUpo(
  deps: MakeDeps,
  session: Session,
  key: { number: string } | { invoiceReference: string },
): Promise<Buffer | undefined> {
  const number =
    'number' in key ? key.number : (await findInvoice(deps.database, session.reference, key.invoiceReference))?.number;
  return number ? invoiceUpo(deps, session, number) : undefined;
}

/** The receipt of one accepted invoice. Signed when first asked for, kept, and the same bytes from then on. */
export async function invoiceUpo(deps: MakeDeps, session: Session, number: string): Promise<Buffer | undefined> {
  const row = await findReceiptRow(deps.database, session.reference, number);
  if (!row) return undefined;
  const kept = await findInvoiceUpo(deps.database, row.id);
  return kept ?? keepInvoiceUpo(deps.database, row.id, await make(deps, session, [row]));
}

/** A page of the collective receipt, recorded when the session reached 200. */
export async function pageUpo(
  deps: MakeDeps,
  session: Session,
  key: { reference: string } | { page: number },
): Promise<Buffer | undefined> {
  if (session.status !== 200) return undefined;
  const page = await findUpoPage(deps.database, session.reference, key);
  if (!page) return undefined;
  if (page.document) return page.document;
  const rows = await listReceiptRows(deps.database, session.reference, page.first_document, page.last_document);
  const shown = {
    number: page.page,
    count: page.page_count,
    from: page.first_document,
    to: page.last_document,
    total: page.document_count,
  };
  return keepUpoPage(deps.database, page.reference, await make(deps, session, rows, shown));
}

async function make(
  deps: MakeDeps,
  session: Session,
  rows: readonly ReceiptRow[],
  page?: Upo['page'],
): Promise<Buffer> {
  const authentication = await deps.evidenceOf(deps.database, session.operation);
  const form = INVOICE_FORMS.find((f) => f.systemCode === session.form);
  if (!authentication || !form) throw new Error(`session ${session.reference} has no login or form to print`);
  const unsigned = buildUpo(
    {
      version: session.upoVersion,
      environment: deps.environment,
      sessionReference: session.reference,
      context: session.context,
      authentication,
      form,
      ...(page ? { page } : {}),
      documents: rows.map(upoDocument),
    },
    deps.names,
  );
  return signUpo(unsigned, sealOf(deps.keys), deps.clock.now()).bytes;
}

function sealOf(keys: KeyRing): Parameters<typeof signUpo>[1] {
  const { privateKey, chain } = keys.signingKey('ReceiptSeal');
  return { privateKey, chain };
}

function upoDocument(row: ReceiptRow): UpoDocument {
  return {
    sellerNip: row.seller_nip,
    svcNumber: row.number,
    invoiceNumber: row.invoice_number,
    issueDate: row.issue_date,
    invoicingDate: row.invoicing_at.getTime(),
    acquisitionDate: row.acquired_at.getTime(),
    hash: row.hash.toString('base64'),
    mode: row.mode,
  };
}
