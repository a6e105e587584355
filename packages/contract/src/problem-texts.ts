import type { ForbiddenReason } from './refusal.ts';

/** Fixed titles of the problem-details forms. */
export const PROBLEM_TITLES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  410: 'Gone',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
} as const;

export type ProblemStatus = keyof typeof PROBLEM_TITLES;

/** Fixed `detail` texts; 403 has one per reason, 429 the sentence of `rateLimitText`. */
export const PROBLEM_DETAILS = {
  400: 'Żądanie jest nieprawidłowe.',
  401: 'Wymagane jest uwierzytelnienie.',
  410: 'Operacja wygasła i nie jest już dostępna.',
  500: 'Wystąpił nieoczekiwany błąd.',
} as const;

export const FORBIDDEN_DETAILS: Readonly<Record<ForbiddenReason, string>> = {
  'missing-permissions': 'Brak wymaganych uprawnień do wykonania operacji w bieżącym kontekście.',
  'ip-not-allowed': 'Żądanie pochodzi z adresu IP innego niż wskazany podczas uwierzytelnienia.',
  'insufficient-resource-access': 'Brak dostępu do wskazanego zasobu.',
  'auth-method-not-allowed': 'Ta operacja nie jest dostępna dla użytej metody uwierzytelnienia.',
  'security-service-blocked': 'Żądanie zostało zablokowane przez mechanizmy bezpieczeństwa.',
  'context-type-not-allowed': 'Operacja nie jest dostępna dla uwierzytelnionego typu kontekstu.',
};

export const FORBIDDEN_REASONS = Object.keys(FORBIDDEN_DETAILS) as ForbiddenReason[];

const WINDOW_NAMES = { second: 'sekundę', minute: 'minutę', hour: 'godzinę' } as const;
export type RateWindow = keyof typeof WINDOW_NAMES;

/** Sentence of a 429, in `status.details[0]` and in `detail`. */
export function rateLimitText(threshold: number, window: RateWindow, retryAfterSeconds: number): string {
  return `Przekroczono limit ${threshold} żądań na ${WINDOW_NAMES[window]}. Spróbuj ponownie po ${retryAfterSeconds} sekundach.`;
}

/**
 * Validator messages of 21405 for rules that operations judge themselves, in the words of the reader (read.ts).
 * Templates with named holes, so that a value typed by a user is never read as a template.
 */
export const VALIDATOR_TEXTS = {
  required: "'{path}' must not be empty.",
  between: "'{path}' must be between {min} and {max}. You entered {value}.",
  minimum: "'{path}' must be greater than or equal to '{min}'.",
  maximum: "'{path}' must be less than or equal to '{max}'.",
  format: "'{path}' is not in the correct format.",
  maxLength: "The length of '{path}' must be {max} characters or fewer. You entered {n} characters.",
  lengthBetween: "'{path}' must be between {min} and {max} characters. You entered {n} characters.",
  dateRangeOrder: "'dateRange.to' must be greater than or equal to 'dateRange.from'.",
  dateRangeLength: "'dateRange' must not exceed 3 months.",
  metadataWindow: 'You cannot retrieve invoices starting from number 10 000 or higher. Please narrow your filters.',
  unparsableQuery: "The value '{value}' is not valid for {Name}.",
  continuationToken: "'continuationToken' is not in the correct format.",
} as const;

/** Detail templates that clients have seen or assert literally; `{SVC}` is the display name of the service. */
export const DETAIL_TEXTS = {
  signatureAlgorithm: 'Podpis złożony z użyciem niewspieranego algorytmu kryptograficznego.',
  signatureDigest: 'Nieprawidłowa wartość skrótu dla referencji wskazującej na element {name}.',
  signatureValue: 'Podpis zweryfikowany negatywnie.',
  signatureProfile: 'Format podpisu niezgodny z akceptowanymi profilami XAdES.',
  unknownKey: 'Klucz o identyfikatorze {keyId} nie jest wspierany.',
  operationNotFound: 'Operacja uwierzytelniania o numerze referencyjnym {referenceNumber} nie została znaleziona.',
  alreadyRedeemed: 'Tokeny dla operacji uwierzytelniania {referenceNumber} zostały już pobrane.',
  redeemStatus: 'Status uwierzytelniania ({code}) nie pozwala na pobranie tokenów.',
  refreshStatus: 'Status uwierzytelnienia ({code}) nie pozwala na odświeżenie tokenu dostępowego.',
  systemTokenRevoked: 'Token {SVC} został unieważniony.',
  tokenContextType: 'Obecny typ kontekstu: {type}. Dozwolone typy: Nip, InternalId.',
  missingTokenPermissions: 'Brakujące uprawnienia: {names}.',
  invoiceNotFound: 'Faktura o numerze {SVC} {svcNumber} nie została znaleziona.',
  invoiceNotYetAvailable:
    'Faktura o numerze {SVC} {svcNumber} została przetworzona, ale nie jest jeszcze dostępna do pobrania. Spróbuj ponownie później.',
  exportSubjectType:
    'Nie można wyeksportować paczki faktur dla wybranego podmiotu ({subjectType}) i zalogowanego identyfikatora kontekstu ({type}).',
  exportLimit:
    'Dla uwierzytelnionego podmiotu w bieżącym kontekście osiągnięto maksymalny limit {count} równoczesnych eksportów faktur. Spróbuj ponownie później.',
  rangeAboveHwm:
    'Parametr dateRange.from jest późniejszy niż PermanentStorageHwmDate przy włączonym restrictToPermanentStorageHwmDate.',
  unsupportedFormCode: 'Wskazany kod formularza nie jest wspierany.',
  ivLength: 'Nieprawidłowa długość wektora inicjującego (IV). Oczekiwano 16 bajtów, otrzymano {n}.',
  sessionNotFoundOnSend: 'Sesja o numerze referencyjnym {referenceNumber} nie została odnaleziona.',
  sessionNotFound: 'Sesja o numerze referencyjnym {referenceNumber} nie została znaleziona.',
  sendStatus: 'Status sesji ({code}) uniemożliwia wysyłkę faktur.',
  closeStatus: 'Status sesji {code} uniemożliwia jej zamknięcie.',
  sessionFull:
    'Sesja o numerze referencyjnym {referenceNumber} osiągnęła dozwolony limit liczby faktur {invoiceLimit}.',
  contentLength: 'Długość treści nie zgadza się z rozmiarem pliku.',
  contentHash: 'Skrót treści nie zgadza się ze skrótem pliku.',
  correctionOfOnline: 'HashOfCorrectedInvoice can only be provided for offline invoices',
  correctionOfAccepted: 'Nie można wysłać korekty technicznej do prawidłowo przetworzonej faktury.',
  correctionExists: 'Faktura posiada już przetworzoną prawidłowo korektę techniczną.',
  batchFileSize: "'fileSize' must be less than or equal to '5000000000'.",
  tooManyParts: 'Liczba części pliku musi być mniejsza lub równa niż 50.',
  partTooBig: 'Rozmiar części {n} przekroczył dozwolony rozmiar 100MB.',
  partMissing: "Nie przesłano zadeklarowanej '{ordinalNumber}' części pliku.",
  partSize: "Zadeklarowany rozmiar części '{ordinalNumber}' nie zgadza się z rzeczywistym.",
  batchTimedOut: 'Sesja anulowana, przekroczony czas wysyłki.',
  upoByNumber:
    'UPO o numerze {SVC} {svcNumber} i numerze referencyjnym sesji {referenceNumber} nie zostało znalezione.',
  upoByReference:
    'UPO o numerze referencyjnym {upoReferenceNumber} dla sesji {referenceNumber} nie zostało znalezione.',
} as const;
