import { Forbidden, refuse } from '@kwit/contract/refusal';
import { CONTROL_FIELDS } from '@kwit/contract/verification-endpoints';
import { showDocumentTask } from '../pages/document/tasks.ts';
import { pageAnswer } from '../pages/layout.ts';
import type { DocumentAnswer } from '../platform/binding.ts';
import type { ControlProblem } from './control-data.ts';
import type { VerificationDeps } from './deps.ts';
import { type Download, downloadByLink } from './download-by-link.ts';
import { type FormMessage, invoicePage, type PageSettings, shownInvoicePage } from './invoice-page.ts';
import { verifyInvoiceLink } from './verify-invoice-link.ts';

interface Asked {
  path: string;
  body: Buffer;
  clientIp: string;
}

/** Answers the form of code I: with a page for people, in the formats of the catalogue for programs. The status is the same. */
export async function answerDownload(
  deps: VerificationDeps,
  asked: Asked,
  page: PageSettings | undefined,
): Promise<DocumentAnswer> {
  const download = await downloadByLink(deps, asked);
  if (download.outcome === 'right') return handOut(deps, asked, download, page);
  if (!page) throw refusalOf(deps, download);
  const answer = await verifyInvoiceLink(deps, asked.path);
  const { status, message, headers } = failurePage(download);
  return pageAnswer(invoicePage(answer, page, message), status, headers);
}

type Failed = Exclude<Download, { outcome: 'right' }>;

const PROBLEM_TEXTS: Readonly<Record<ControlProblem, string>> = {
  form: 'The form is longer than 8192 bytes.',
  invoiceNumber: `'${CONTROL_FIELDS.invoiceNumber}' must not be empty.`,
  grossAmount: `'${CONTROL_FIELDS.grossAmount}' is not in the correct format.`,
};

function refusalOf(deps: VerificationDeps, failed: Failed): Error {
  switch (failed.outcome) {
    case 'unknown':
      return refuse(21164, 'Faktura wskazana w odnośniku nie została znaleziona.');
    case 'unreadable':
      return refuse(21405, ...failed.problems.map((problem) => PROBLEM_TEXTS[problem]));
    case 'wrong':
      return new Forbidden('insufficient-resource-access');
    case 'locked':
      return deps.limitExceeded({
        sentence: `Zbyt wiele błędnych odpowiedzi. Spróbuj ponownie po ${failed.seconds} sekundach.`,
        retryAfterSeconds: failed.seconds,
      });
  }
}

function failurePage(failed: Failed): { status: number; message?: FormMessage; headers?: Record<string, string> } {
  switch (failed.outcome) {
    case 'unknown':
      return { status: 400 };
    case 'unreadable':
      return { status: 400, message: { problems: failed.problems } };
    case 'wrong':
      return { status: 403, message: { wrong: true, left: failed.left } };
    case 'locked':
      return {
        status: 429,
        message: { lockedMinutes: Math.ceil(failed.seconds / 60) },
        headers: { 'retry-after': String(failed.seconds) },
      };
  }
}

/** A view takes as long as its document is long; who waits longer gets the file. */
const VIEW_DEADLINE_MS = 10_000;

async function handOut(
  deps: VerificationDeps,
  asked: Asked,
  { invoice, document, typed }: Extract<Download, { outcome: 'right' }>,
  page: PageSettings | undefined,
): Promise<DocumentAnswer> {
  if (!page || typed.wantsXml) return xmlFile(invoice.number, document);
  const view = { bytes: document, language: page.language, number: invoice.number, service: page.names.displayName };
  // Too large to be shown, or nobody free to do it: the file is there all the same.
  const shown = await deps.pool.run(showDocumentTask, view, { deadlineMs: VIEW_DEADLINE_MS }).catch(() => undefined);
  const sent = new URLSearchParams(asked.body.toString('utf8'));
  const { invoiceNumber, buyerIdentifier, grossAmount } = CONTROL_FIELDS;
  const again = {
    invoiceNumber: sent.get(invoiceNumber) ?? '',
    buyerIdentifier: sent.get(buyerIdentifier) ?? '',
    grossAmount: sent.get(grossAmount) ?? '',
  };
  return pageAnswer(shownInvoicePage({ shown, typed: again }, page));
}

/** The document exactly as its issuer sent it, to be kept and not to be opened: what it holds is the issuer's. */
function xmlFile(number: string, bytes: Buffer): DocumentAnswer {
  return {
    contentType: 'application/xml',
    bytes,
    headers: {
      'content-disposition': `attachment; filename="${number}.xml"`,
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
  };
}
