import type { Environment } from './enumerations.ts';

/** Document types of the interface. The triple is matched as a whole, blanks included. */
export interface FormCode {
  readonly systemCode: string;
  readonly schemaVersion: string;
  readonly value: string;
}

export interface InvoiceForm extends FormCode {
  readonly root: string;
  readonly namespace: string;
  readonly batch: boolean;
  /** Sent by Peppol providers, in their own context only. */
  readonly peppol: boolean;
  /** First day of acceptance; absent: not accepted there. */
  readonly acceptedFrom: Readonly<Partial<Record<Environment, string>>>;
  /** Deprecated `schemaType` of metadata. */
  readonly schemaType?: 'FA2' | 'FA3';
}

const ALWAYS = '0000-01-01';
const EVERYWHERE = { TEST: ALWAYS, DEMO: ALWAYS, PRD: ALWAYS } as const;

export const INVOICE_FORMS = [
  {
    systemCode: 'FA (2)',
    schemaVersion: '1-0E',
    value: 'FA',
    root: 'Faktura',
    namespace: 'http://crd.gov.pl/wzor/2023/06/29/12648/',
    batch: true,
    peppol: false,
    acceptedFrom: { TEST: ALWAYS },
    schemaType: 'FA2',
  },
  {
    systemCode: 'FA (3)',
    schemaVersion: '1-0E',
    value: 'FA',
    root: 'Faktura',
    namespace: 'http://crd.gov.pl/wzor/2025/06/25/13775/',
    batch: true,
    peppol: false,
    acceptedFrom: EVERYWHERE,
    schemaType: 'FA3',
  },
  {
    systemCode: 'PEF (3)',
    schemaVersion: '2-1',
    value: 'PEF',
    root: 'Invoice',
    namespace: 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2',
    batch: false,
    peppol: true,
    acceptedFrom: EVERYWHERE,
  },
  {
    systemCode: 'PEF_KOR (3)',
    schemaVersion: '2-1',
    value: 'PEF',
    root: 'CreditNote',
    namespace: 'urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2',
    batch: false,
    peppol: true,
    acceptedFrom: EVERYWHERE,
  },
  {
    systemCode: 'FA_RR (1)',
    schemaVersion: '1-1E',
    value: 'FA_RR',
    root: 'Faktura',
    namespace: 'http://crd.gov.pl/wzor/2026/03/06/14189/',
    batch: true,
    peppol: false,
    acceptedFrom: { TEST: ALWAYS, DEMO: '2026-04-01', PRD: '2026-04-01' },
  },
] as const satisfies readonly InvoiceForm[];

export type SystemCode = (typeof INVOICE_FORMS)[number]['systemCode'];
export const SYSTEM_CODES = INVOICE_FORMS.map((form) => form.systemCode);

export const FORM_TYPES = ['FA', 'PEF', 'FA_RR'] as const;

export const SCHEMA_TYPES = ['FA1', 'FA2', 'FA3'] as const;

/** The form with exactly this triple. */
export function findForm(code: FormCode): InvoiceForm | undefined {
  return INVOICE_FORMS.find(
    (form) =>
      form.systemCode === code.systemCode && form.schemaVersion === code.schemaVersion && form.value === code.value,
  );
}

/** Is the form accepted on this environment on that day (`yyyy-MM-dd`, Europe/Warsaw)? */
export function isFormAccepted(form: InvoiceForm, environment: Environment, day: string): boolean {
  const from = form.acceptedFrom[environment];
  return from !== undefined && from <= day;
}

/** Name of the structure in receipts, e.g. `Schemat_FA(3)_v1-0E.xsd`. */
export function structureName(code: FormCode): string {
  return `Schemat_${code.systemCode.replace(' ', '')}_v${code.schemaVersion}.xsd`;
}

/** Kinds of invoice with the text of `RodzajFaktury`, where the form has one. */
export const INVOICE_TYPE_SOURCES = {
  Vat: 'VAT',
  Zal: 'ZAL',
  Kor: 'KOR',
  Roz: 'ROZ',
  Upr: 'UPR',
  KorZal: 'KOR_ZAL',
  KorRoz: 'KOR_ROZ',
  VatPef: undefined,
  VatPefSp: undefined,
  KorPef: undefined,
  VatRr: 'VAT_RR',
  KorVatRr: 'KOR_VAT_RR',
} as const;
export type InvoiceType = keyof typeof INVOICE_TYPE_SOURCES;
export const INVOICE_TYPES = Object.keys(INVOICE_TYPE_SOURCES) as [InvoiceType, ...InvoiceType[]];

/** Codes accepted by the currency filter. `SVC` is the Salvadoran colón, not the service. */
export const CURRENCY_CODES =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GGP GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS IMP INR IQD IRR ISK JEP JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VES VND VUV WST XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XUA XXX YER ZAR ZMW ZWL'.split(
    ' ',
  ) as [string, ...string[]];
