/**
 * Receipts (UPO) for accepted invoices: one for a single invoice, or pages for a whole session. The text is a
 * function of its input alone, so a receipt can be made again and be the same. It is written in canonical form (no empty-element
 * tags, no unused namespace, canonical escapes), which lets it be signed without being parsed.
 */
import { formatWarsaw } from '@kwit/contract/date-time';
import type { Environment, InvoicingMode, UpoVersion } from '@kwit/contract/enumerations';
import { type FormCode, structureName } from '@kwit/contract/invoice-forms';
import { UPO_PAGE_DOCUMENTS } from '@kwit/contract/limits';
import type { Names } from '@kwit/contract/names';
import type { ContextIdentifier, ContextType } from '../platform/caller.ts';
import type { Page } from './pages.ts';

export interface UpoDocument {
  readonly sellerNip: string;
  readonly svcNumber: string;
  readonly invoiceNumber: string;
  /** `YYYY-MM-DD`. */
  readonly issueDate: string;
  /** Moments of the clock, in milliseconds. */
  readonly invoicingDate: number;
  readonly acquisitionDate: number;
  /** Base64 SHA-256 of the invoice. */
  readonly hash: string;
  readonly mode: InvoicingMode;
}

export interface Upo {
  readonly version: UpoVersion;
  readonly environment: Environment;
  readonly sessionReference: string;
  readonly context: ContextIdentifier;
  /** How the opener of the session had logged in: by a system token, or by a signed document (hash of its bytes as received). */
  readonly authentication: { readonly tokenReference: string } | { readonly documentHash: string };
  readonly form: FormCode;
  /** Only for the receipt of a session. */
  readonly page?: Page;
  readonly documents: readonly UpoDocument[];
}

/** Version 4-2 has the first name everywhere. */
const RECEIVERS: Readonly<Record<Environment, string>> = {
  PRD: 'Ministerstwo Finansów',
  TEST: 'Ministerstwo Finansów - środowisko testowe (TE)',
  DEMO: 'Ministerstwo Finansów - środowisko przedprodukcyjne (TR)',
};

const CONTEXT_ELEMENTS: Readonly<Record<ContextType, string>> = {
  Nip: 'Nip',
  InternalId: 'IdWewnetrzny',
  NipVatUe: 'IdZlozonyVatUE',
  PeppolId: 'IdDostawcyUslugPeppol',
};

/** The unsigned receipt under the names of the service. */
export function buildUpo(upo: Upo, names: Names): string {
  const { documents, page } = upo;
  if (documents.length === 0 || documents.length > UPO_PAGE_DOCUMENTS) {
    throw new RangeError(`a receipt has 1 to ${UPO_PAGE_DOCUMENTS} documents, not ${documents.length}`);
  }
  if (page && page.to - page.from + 1 !== documents.length) {
    throw new RangeError(`page ${page.number} covers ${page.from} to ${page.to}, not ${documents.length} documents`);
  }
  const old = upo.version === 'v4-2';
  return [
    '<?xml version="1.0" encoding="utf-8"?>\n',
    `<Potwierdzenie xmlns="${names.upoNamespaces[upo.version]}">`,
    element('NazwaPodmiotuPrzyjmujacego', RECEIVERS[old ? 'PRD' : upo.environment]),
    element('NumerReferencyjnySesji', upo.sessionReference),
    authentication(upo, names),
    page ? description(page) : '',
    element('NazwaStrukturyLogicznej', old ? upo.form.schemaVersion : structureName(upo.form)),
    element('KodFormularza', upo.form.systemCode),
    ...documents.map((document) => documentElement(document, old, names)),
    '</Potwierdzenie>',
  ].join('');
}

function authentication({ context, authentication }: Upo, names: Names): string {
  const proof =
    'tokenReference' in authentication
      ? element(names.upoElements.tokenReferenceNumber, authentication.tokenReference)
      : element('SkrotDokumentuUwierzytelniajacego', authentication.documentHash);
  const id = element(CONTEXT_ELEMENTS[context.type], context.value);
  return `<Uwierzytelnienie><IdKontekstu>${id}</IdKontekstu>${proof}</Uwierzytelnienie>`;
}

/** Ranges are inclusive at both ends. */
function description(page: Page): string {
  return `<OpisPotwierdzenia>${element('Strona', page.number)}${element('LiczbaStron', page.count)}${element('ZakresDokumentowOd', page.from)}${element('ZakresDokumentowDo', page.to)}${element('CalkowitaLiczbaDokumentow', page.total)}</OpisPotwierdzenia>`;
}

function documentElement(document: UpoDocument, old: boolean, names: Names): string {
  return [
    '<Dokument>',
    element('NipSprzedawcy', document.sellerNip),
    element(names.upoElements.documentNumber, document.svcNumber),
    element('NumerFaktury', document.invoiceNumber),
    element('DataWystawieniaFaktury', document.issueDate),
    element('DataPrzeslaniaDokumentu', formatWarsaw(document.invoicingDate)),
    element(names.upoElements.numberDate, formatWarsaw(document.acquisitionDate)),
    element('SkrotDokumentu', document.hash),
    old ? '' : element('TrybWysylki', document.mode),
    '</Dokument>',
  ].join('');
}

function element(name: string, value: string | number): string {
  return `<${name}>${escapeText(String(value))}</${name}>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };

/** As canonical XML writes text. */
function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => ESCAPES[character]!);
}
