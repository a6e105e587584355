import type { Words } from './view.ts';

/** Headings of pages, and what coded values mean. */
export const WORDS = {
  invoice: ['Faktura', 'Invoice'],
  receipt: ['Urzędowe poświadczenie odbioru (UPO)', 'Official receipt (UPO)'],
  document: ['Dokument', 'Document'],
  number: ['Numer faktury', 'Number of the invoice'],
  systemNumber: ['Numer w systemie', 'Number of the system'],
  numberOf: ['Numer', 'Number of'],
  seller: ['Sprzedawca', 'Seller'],
  buyer: ['Nabywca', 'Buyer'],
  third: ['Podmiot trzeci', 'Third party'],
  authorized: ['Podmiot upoważniony', 'Authorized party'],
  farmer: ['Dostawca (rolnik ryczałtowy)', 'Supplier (flat-rate farmer)'],
  purchaser: ['Nabywca (wystawca)', 'Purchaser (issuer)'],
  parties: ['Strony', 'Parties'],
  general: ['Dane ogólne', 'General'],
  correction: ['Korekta', 'Correction'],
  lines: ['Pozycje', 'Lines'],
  summary: ['Podsumowanie podatku', 'Tax summary'],
  total: ['Kwota należności ogółem', 'Total amount due'],
  annotations: ['Adnotacje', 'Annotations'],
  payment: ['Płatność', 'Payment'],
  attachment: ['Załącznik', 'Attachment'],
  rest: ['Pozostałe dane', 'Other data'],
  rate: ['Stawka', 'Rate'],
  net: ['Netto', 'Net'],
  tax: ['VAT', 'VAT'],
  taxInZlotys: ['VAT w złotych', 'VAT in zlotys'],
  address: ['Adres', 'Address'],
  documents: ['Dokumenty', 'Documents'],
  yes: ['tak', 'yes'],
  no: ['nie', 'no'],
  cut: [
    'Dokument jest za długi, aby pokazać go w całości: dalsza część jest tylko w pliku XML.',
    'The document is too long to be shown completely: the rest is only in the XML file.',
  ],
  signed: [
    'Dokument ma podpis elektroniczny. Ta strona go nie sprawdza.',
    'The document has an electronic signature. This page does not verify it.',
  ],
  view: [
    'Widok dokumentu XML. Rozstrzyga treść pliku XML.',
    'A view of an XML document. The content of the XML file decides.',
  ],
} as const satisfies Readonly<Record<string, Words>>;

export const KINDS: ReadonlyMap<string, Words> = new Map([
  ['VAT', ['podstawowa', 'basic']],
  ['KOR', ['korygująca', 'correction']],
  ['ZAL', ['zaliczkowa', 'advance']],
  ['ROZ', ['rozliczeniowa', 'settlement of advances']],
  ['UPR', ['uproszczona', 'simplified']],
  ['KOR_ZAL', ['korygująca zaliczkową', 'correction of an advance']],
  ['KOR_ROZ', ['korygująca rozliczeniową', 'correction of a settlement']],
  ['VAT_RR', ['VAT RR', 'VAT RR']],
  ['KOR_VAT_RR', ['korygująca VAT RR', 'correction of VAT RR']],
]);

export const PAYMENT_FORMS: ReadonlyMap<string, Words> = new Map([
  ['1', ['gotówka', 'cash']],
  ['2', ['karta', 'card']],
  ['3', ['bon', 'voucher']],
  ['4', ['czek', 'cheque']],
  ['5', ['kredyt', 'credit']],
  ['6', ['przelew', 'transfer']],
  ['7', ['płatność mobilna', 'mobile payment']],
]);

export const ROLES: ReadonlyMap<string, Words> = new Map([
  ['1', ['faktor', 'factor']],
  ['2', ['odbiorca', 'recipient']],
  ['3', ['podmiot pierwotny', 'original party']],
  ['4', ['dodatkowy nabywca', 'further buyer']],
  ['5', ['wystawca faktury', 'issuer of the invoice']],
  ['6', ['dokonujący płatności', 'payer']],
  ['7', ['jednostka samorządu: wystawca', 'local government: issuer']],
  ['8', ['jednostka samorządu: odbiorca', 'local government: recipient']],
  ['9', ['członek grupy VAT: wystawca', 'VAT group member: issuer']],
  ['10', ['członek grupy VAT: odbiorca', 'VAT group member: recipient']],
  ['11', ['pracownik', 'employee']],
]);

export const AUTHORIZED_ROLES: ReadonlyMap<string, Words> = new Map([
  ['1', ['organ egzekucyjny', 'enforcement authority']],
  ['2', ['komornik sądowy', 'court bailiff']],
  ['3', ['przedstawiciel podatkowy', 'tax representative']],
]);

/** Rows of the tax summary: the part of the field names behind `P_13_` and `P_14_`. */
export const TAX_ROWS: readonly (readonly [field: string, label: Words])[] = [
  ['1', ['stawka podstawowa (23% lub 22%)', 'basic rate (23% or 22%)']],
  ['2', ['stawka obniżona (8% lub 7%)', 'reduced rate (8% or 7%)']],
  ['3', ['stawka obniżona (5%)', 'reduced rate (5%)']],
  ['4', ['ryczałt taksówek (4% lub 3%)', 'taxi flat rate (4% or 3%)']],
  ['5', ['procedura szczególna (OSS)', 'special procedure (OSS)']],
  ['6_1', ['0%, sprzedaż krajowa', '0%, domestic']],
  ['6_2', ['0%, dostawa wewnątrzwspólnotowa', '0%, within the Union']],
  ['6_3', ['0%, eksport', '0%, export']],
  ['7', ['zwolnione', 'exempt']],
  ['8', ['poza terytorium kraju (np I)', 'outside the country (np I)']],
  ['9', ['usługi dla podatników z UE (np II)', 'services to EU taxpayers (np II)']],
  ['10', ['odwrotne obciążenie', 'reverse charge']],
  ['11', ['procedura marży', 'margin scheme']],
];
