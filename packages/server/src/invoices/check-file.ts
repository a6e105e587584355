/**
 * `kwit check`: the rules of the service for a file on disk, without a session. What only the register can decide (duplicates,
 * consent, rights) is named as a note, so that nobody takes 'accepted' for more than it says.
 */
import type { Environment } from '@kwit/contract/enumerations';
import type { SystemCode } from '@kwit/contract/invoice-forms';
import { INVOICE_STATUS } from '@kwit/contract/statuses';
import { ParseOption, XmlDocument, XmlParseError } from '../platform/xml/engine.ts';
import { doctypeProblem } from './check-rules/doctype.ts';
import { FORMS, formOfRoot } from './forms.ts';
import { invoicingMode } from './offline.ts';
import type { Identifier, InvoiceMetadata } from './read-metadata/metadata.ts';
import type { InvoiceRefusal } from './verdict.ts';
import { verifyDocument } from './verify-document.ts';

export interface CheckOptions {
  /** Without it the root element decides. */
  readonly form?: SystemCode;
  readonly environment: Environment;
  /** The moment at which the file would be sent. */
  readonly now: number;
  readonly schemaFolder?: string;
  /** Shown in the report. */
  readonly name?: string;
}

export interface CheckReport {
  readonly passed: boolean;
  readonly form: SystemCode;
  readonly hash: string;
  readonly size: number;
  readonly refusal?: InvoiceRefusal;
  readonly metadata?: InvoiceMetadata;
  readonly warnings: readonly string[];
  /** What the check could not see. */
  readonly notes: readonly string[];
  /** All of it for a terminal. */
  readonly text: string;
}

const DEFAULT_FORM: SystemCode = 'FA (3)';

export function checkDocument(bytes: Uint8Array, options: CheckOptions): CheckReport {
  const form = options.form ?? detectForm(Buffer.from(bytes)) ?? DEFAULT_FORM;
  const verdict = verifyDocument({
    bytes,
    form,
    environment: options.environment,
    now: options.now,
    invoicingDate: options.now,
    ...(options.schemaFolder === undefined ? {} : { schemaFolder: options.schemaFolder }),
  });
  const refusal = verdict.ok ? verdict.later : verdict.refusal;
  const metadata = verdict.ok ? verdict.metadata : undefined;
  const report = {
    passed: refusal === undefined,
    form,
    hash: verdict.hash,
    size: verdict.size,
    ...(refusal ? { refusal } : {}),
    ...(metadata ? { metadata } : {}),
    warnings: verdict.warnings,
    notes: metadata ? notesFor(metadata, options) : [],
  };
  return { ...report, text: print(report, options) };
}

/** By root element; undefined for what is no document or none of ours, which verification will explain. */
function detectForm(bytes: Buffer): SystemCode | undefined {
  if (bytes.length > 10_000_000 || doctypeProblem(bytes) !== undefined) return undefined;
  try {
    const document = XmlDocument.fromBuffer(bytes, {
      option: ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE,
    });
    try {
      return formOfRoot(document.root.name, document.root.namespaceUri)?.systemCode;
    } finally {
      document.dispose();
    }
  } catch (error) {
    if (error instanceof XmlParseError) return undefined;
    throw error;
  }
}

function notesFor(metadata: InvoiceMetadata, { environment, now }: CheckOptions): string[] {
  const notes: string[] = [];
  if (FORMS[metadata.form].acceptedFrom[environment] === undefined) {
    notes.push(`${environment} takes no sessions of ${metadata.form}.`);
  }
  if (invoicingMode({ offlineMode: false, issueDate: metadata.issueDate, invoicingDate: now }) === 'Offline') {
    notes.push('Issued on an earlier day: it would be taken as an offline invoice.');
  }
  if (metadata.hasAttachment) {
    const where = metadata.form.startsWith('PEF') ? '' : ' It must be sent in a batch session.';
    notes.push(`It has an attachment, for which seller ${metadata.seller.nip} needs a consent.${where}`);
  }
  notes.push('Not checked here: duplicates and the right to issue for the seller.');
  return notes;
}

function print(report: Omit<CheckReport, 'text'>, options: CheckOptions): string {
  const { refusal, metadata } = report;
  const head = `${options.name ?? 'document'}: ${refusal ? `refused with ${refusal.code} ${INVOICE_STATUS[refusal.code].description}` : 'passed'} (${report.form}, ${options.environment}, ${report.size} bytes)`;
  return [
    head,
    ...(refusal?.details ?? []).map((detail) => `  - ${detail}`),
    ...(metadata ? facts(metadata).map(([label, value]) => `  ${label.padEnd(9)}${value}`) : []),
    `  ${'SHA-256'.padEnd(9)}${report.hash}`,
    ...report.warnings.map((warning) => `  warning: ${warning}`),
    ...report.notes.map((note) => `  note: ${note}`),
  ].join('\n');
}

const idText = ({ type, value }: Identifier<string>) => (value === undefined ? type : `${type} ${value}`);

function facts(metadata: InvoiceMetadata): [string, string][] {
  const { seller, buyer, currency } = metadata;
  return [
    ['number', `${metadata.invoiceNumber} (${metadata.invoiceType}, issued ${metadata.issueDate})`],
    ['seller', `Nip ${seller.nip}${seller.name ? ` ${seller.name}` : ''}`],
    ['buyer', `${idText(buyer.identifier)}${buyer.name ? ` ${buyer.name}` : ''}`],
    [
      'amounts',
      `net ${metadata.netAmount} ${currency}, VAT ${metadata.vatAmount} PLN, gross ${metadata.grossAmount} ${currency}`,
    ],
  ];
}
