import type { Names } from '@kwit/contract/names';
import type { Language } from '../pages/preferences.ts';

/** Words of the pages behind the codes. The four sentences of code II and the two of code I are looked for by programs: they are fixed. */

const invoicePolish = (names: Names) => ({
  present: names.invoicePage.present,
  absent: names.invoicePage.absent,
  absentHint:
    'Faktura nie została przesłana, nie została jeszcze przyjęta albo odnośnik jest niepełny lub zmieniony. Fakturę wystawioną w trybie offline wystawca przesyła później: spróbuj ponownie.',
  corrected: 'Dokument, z którego pochodzi ten kod, został skorygowany technicznie. Poniżej dane przyjętej korekty.',
  number: `Numer ${names.displayName}`,
  issueDate: 'Data wystawienia',
  sellerNip: 'NIP sprzedawcy',
  sellerName: 'Nazwa sprzedawcy',
  mode: 'Tryb wystawienia',
  modes: { Online: 'online', Offline: 'offline' },
  download: 'Pokaż lub pobierz fakturę',
  downloadHint: 'Podaj dane z faktury. Trzy błędne odpowiedzi blokują dostęp z tego adresu na 15 minut.',
  invoiceNumber: 'Numer faktury nadany przez wystawcę',
  invoiceNumberHint: 'dokładnie tak, jak na fakturze',
  buyerIdentifier: 'Identyfikator nabywcy',
  buyerIdentifierHint: 'NIP, numer VAT UE z kodem kraju albo inny; pozostaw puste, jeżeli faktura go nie zawiera',
  grossAmount: 'Kwota należności ogółem',
  grossAmountHint: 'w walucie faktury, na przykład 1230,00',
  show: 'Pokaż fakturę',
  getXml: 'Pobierz XML',
  problems: {
    form: 'Przesłany formularz jest za długi.',
    invoiceNumber: 'Podaj numer faktury.',
    grossAmount: 'Podaj kwotę cyframi, na przykład 1230,00.',
  },
  wrong: 'Podane dane nie zgadzają się z fakturą.',
  left: (tries: number) => `Pozostałe próby: ${tries}.`,
  locked: (minutes: number) => `Dostęp do tej faktury jest zablokowany. Spróbuj ponownie za ${minutes} min.`,
  notShown: 'Tej faktury nie można teraz pokazać w przeglądarce. Pobierz plik XML.',
});

export type InvoiceTexts = ReturnType<typeof invoicePolish>;

const invoiceEnglish = (names: Names): InvoiceTexts => ({
  present: `The invoice is in ${names.displayName}`,
  absent: `The invoice was not found in ${names.displayName}`,
  absentHint:
    'The invoice was not sent, is not accepted yet, or the link is incomplete or changed. An invoice issued offline is sent later by its issuer: try again.',
  corrected: 'The document this code comes from was technically corrected. Below is the accepted correction.',
  number: `${names.displayName} number`,
  issueDate: 'Date of issue',
  sellerNip: 'Tax number (NIP) of the seller',
  sellerName: 'Name of the seller',
  mode: 'Mode of issue',
  modes: { Online: 'online', Offline: 'offline' },
  download: 'Show or download the invoice',
  downloadHint:
    'Type what stands on the invoice. Three wrong answers lock the access from this address for 15 minutes.',
  invoiceNumber: 'Number given by the issuer',
  invoiceNumberHint: 'exactly as on the invoice',
  buyerIdentifier: 'Identifier of the buyer',
  buyerIdentifierHint: 'NIP, EU VAT number with its country code, or another; leave empty when the invoice has none',
  grossAmount: 'Total amount due',
  grossAmountHint: 'in the currency of the invoice, for example 1230.00',
  show: 'Show the invoice',
  getXml: 'Download XML',
  problems: {
    form: 'The form sent is too long.',
    invoiceNumber: 'Type the number of the invoice.',
    grossAmount: 'Type the amount in digits, for example 1230.00.',
  },
  wrong: 'What you typed does not fit the invoice.',
  left: (tries: number) => `Tries left: ${tries}.`,
  locked: (minutes: number) => `Access to this invoice is locked. Try again in ${minutes} min.`,
  notShown: 'This invoice cannot be shown in the browser now. Download the XML file.',
});

export function invoiceTexts(language: Language, names: Names): InvoiceTexts {
  return language === 'pl' ? invoicePolish(names) : invoiceEnglish(names);
}

export const CERTIFICATE_TEXTS = {
  pl: {
    good: 'Weryfikacja prawidłowa',
    bad: 'Weryfikacja nieprawidłowa',
    exists: ['Certyfikat istnieje', 'Nie ma takiego certyfikatu'],
    active: ['Certyfikat jest aktywny', 'Certyfikat nie jest aktywny'],
    signature: ['Podpis wystawcy jest prawidłowy', 'Podpis wystawcy nie jest prawidłowy'],
    authorized: [
      'Wystawca posiada uprawnienia do wystawienia faktury',
      'Wystawca nie posiada uprawnień do wystawienia faktury',
    ],
    reasons: {
      type: 'nie jest to certyfikat do wystawiania faktur w trybie offline',
      notYet: 'jego ważność jeszcze się nie rozpoczęła',
      expired: 'jego ważność minęła',
      revoked: 'został unieważniony',
    },
    signatureReason: 'odnośnik został zmieniony albo utworzony dla innego adresu',
    authorizedReason: 'posiadacz certyfikatu nie może dziś wystawiać faktur w podanym kontekście dla tego sprzedawcy',
    notAsked: 'nie sprawdzono, ponieważ nie ma certyfikatu',
    serial: 'Numer seryjny certyfikatu',
    commonName: 'Wystawca',
    hint: 'Kod potwierdza wystawcę w chwili sprawdzenia. Nie mówi, czy faktura została przesłana: to pokazuje drugi kod na fakturze (KOD I).',
    malformed: 'Nieprawidłowy odnośnik',
    malformedHint:
      'Ten adres nie jest odnośnikiem weryfikacyjnym wystawcy. Sprawdź, czy kod QR został odczytany w całości.',
  },
  en: {
    good: 'Verification passed',
    bad: 'Verification failed',
    exists: ['The certificate exists', 'There is no such certificate'],
    active: ['The certificate is active', 'The certificate is not active'],
    signature: ['The signature of the issuer is right', 'The signature of the issuer is not right'],
    authorized: ['The issuer may issue the invoice', 'The issuer may not issue the invoice'],
    reasons: {
      type: 'it is not a certificate for issuing invoices offline',
      notYet: 'its validity has not begun',
      expired: 'its validity is over',
      revoked: 'it was revoked',
    },
    signatureReason: 'the link was changed, or made for another address',
    authorizedReason: 'the holder of the certificate may not issue in the named context for this seller today',
    notAsked: 'not checked, as there is no certificate',
    serial: 'Serial number of the certificate',
    commonName: 'Issuer',
    hint: 'This code confirms the issuer at the moment of the check. It does not say whether the invoice was sent: the other code on the invoice (code I) does.',
    malformed: 'No such link',
    malformedHint:
      'This address is not a verification link of an issuer. Check whether the QR code was read completely.',
  },
} as const;
