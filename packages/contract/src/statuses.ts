import { DETAIL_TEXTS } from './problem-texts.ts';

/**
 * States of everything asynchronous: code, wire description, and the details that may stand beside it.
 * Details are templates: `{placeholders}` are filled by whoever writes the status.
 */
export interface OperationStatus {
  readonly description: string;
  /** No further change once reached, apart from the moves named at the catalogue. */
  readonly terminal: boolean;
  readonly details: readonly string[];
  /** Further sentences may stand in the details: validator messages, or one sentence that names the cause. */
  readonly openDetails?: boolean;
}

export type StatusCatalogue = Readonly<Record<number, OperationStatus>>;

const INTERRUPTED = 'Przetwarzanie zostało przerwane z przyczyn wewnętrznych systemu. Spróbuj ponownie';
/** Of status 415, wherever a content key does not open. */
export const KEY_DETAIL = 'Rozszyfrowania klucza symetrycznego zakończone błędem';

function running(description: string): OperationStatus {
  return { description, terminal: false, details: [] };
}

function final(description: string, ...details: string[]): OperationStatus {
  return { description, terminal: true, details };
}

function explained(description: string, ...details: string[]): OperationStatus {
  return { description, terminal: true, details, openDetails: true };
}

const CANCELLED_BY_SYSTEM = final('Operacja została anulowana przez system', INTERRUPTED);
const UNKNOWN_WITH_CODE = final('Nieznany błąd (500)');

/** 200 moves on to 425 when the session is revoked. */
export const AUTHENTICATION_STATUS = {
  100: running('Uwierzytelnianie w toku'),
  200: final('Uwierzytelnianie zakończone sukcesem'),
  415: final('Uwierzytelnianie zakończone niepowodzeniem', 'Brak przypisanych uprawnień'),
  425: final(
    'Uwierzytelnienie unieważnione',
    'Uwierzytelnienie i powiązane refresh tokeny zostały unieważnione przez użytkownika',
  ),
  450: final(
    'Uwierzytelnianie zakończone niepowodzeniem z powodu błędnego tokenu',
    'Nieprawidłowe wyzwanie autoryzacyjne',
    'Nieprawidłowy token',
    'Nieprawidłowy czas tokena',
    'Token unieważniony',
    'Token nieaktywny',
    'Nieprawidłowe szyfrowanie tokena',
    'Nieprawidłowe kodowanie tokena',
    'Token nie może być użyty w kontekście {contextIdentifier}',
  ),
  460: final(
    'Uwierzytelnianie zakończone niepowodzeniem z powodu błędu certyfikatu',
    'Nieważny certyfikat',
    'Błąd weryfikacji łańcucha certyfikatów',
    'Niezaufany łańcuch certyfikatów',
    'Certyfikat odwołany',
    'Certyfikat zawieszony',
    'Niepoprawny certyfikat',
  ),
  470: final('Uwierzytelnianie zakończone niepowodzeniem', 'Próba wykorzystania metod autoryzacyjnych osoby zmarłej'),
  480: final(
    'Uwierzytelnienie zablokowane',
    'Podejrzenie incydentu bezpieczeństwa. Skontaktuj się z Ministerstwem Finansów przez formularz zgłoszeniowy.',
  ),
  500: final('Nieznany błąd'),
  550: CANCELLED_BY_SYSTEM,
} as const satisfies StatusCatalogue;

/** 200 moves on to 210 when the package expires. */
export const EXPORT_STATUS = {
  100: running('Eksport faktur w toku'),
  200: final('Eksport faktur zakończony sukcesem'),
  210: final('Eksport faktur wygasł i nie jest już dostępny do pobrania'),
  415: final('Błąd odszyfrowania dostarczonego klucza'),
  420: final('Zakres filtrowania wykracza poza dostępny zakres danych', DETAIL_TEXTS.rangeAboveHwm),
  500: UNKNOWN_WITH_CODE,
  550: CANCELLED_BY_SYSTEM,
} as const satisfies StatusCatalogue;

export const ENROLLMENT_STATUS = {
  100: running('Wniosek przyjęty do realizacji'),
  200: final('Wniosek obsłużony (certyfikat wygenerowany)'),
  400: final(
    'Wniosek odrzucony',
    'Klucz publiczny został już certyfikowany przez inny podmiot.',
    'Osiągnięto dopuszczalny limit posiadanych certyfikatów.',
  ),
  500: final('Nieznany błąd'),
  550: CANCELLED_BY_SYSTEM,
} as const satisfies StatusCatalogue;

export const PERMISSION_OPERATION_STATUS = {
  100: running('Operacja przyjęta do realizacji'),
  200: final('Operacja zakończona sukcesem'),
  400: explained('Operacja zakończona niepowodzeniem'),
  410: explained('Podane identyfikatory są niezgodne lub pozostają w niewłaściwej relacji'),
  420: explained('Użyte poświadczenia nie mają uprawnień do wykonania tej operacji'),
  430: explained('Kontekst identyfikatora nie odpowiada wymaganej roli lub uprawnieniom'),
  440: explained('Operacja niedozwolona dla wskazanych powiązań identyfikatorów'),
  450: explained('Operacja niedozwolona dla wskazanego identyfikatora lub jego typu'),
  500: final('Nieznany błąd'),
  550: final('Operacja została anulowana przez system', `${INTERRUPTED} później.`),
} as const satisfies StatusCatalogue;

export const INTERACTIVE_SESSION_STATUS = {
  100: running('Sesja interaktywna otwarta'),
  170: running('Sesja interaktywna zamknięta'),
  200: final('Sesja interaktywna przetworzona pomyślnie'),
  415: final('Błąd odszyfrowania dostarczonego klucza', KEY_DETAIL),
  440: final('Sesja anulowana', 'Nie przesłano faktur'),
  445: final('Błąd weryfikacji, brak poprawnych faktur'),
  500: UNKNOWN_WITH_CODE,
} as const satisfies StatusCatalogue;

export const BATCH_SESSION_STATUS = {
  100: running('Sesja wsadowa rozpoczęta'),
  150: running('Trwa przetwarzanie'),
  200: final('Sesja wsadowa przetworzona pomyślnie'),
  405: final(
    'Błąd weryfikacji poprawności dostarczonych elementów paczki',
    "Skrót SHA-256 części: '{n}' nie zgadza się z zadeklarowanym skrótem: '{hash}'",
  ),
  415: final('Błąd odszyfrowania dostarczonego klucza', KEY_DETAIL),
  420: final(
    'Przekroczony limit faktur w sesji',
    "Przekroczono dopuszczalną liczbę faktur w paczce: '{limit}'. Liczba faktur w paczce: '{n}'.",
  ),
  430: explained(
    'Błąd dekompresji pierwotnego archiwum',
    "Skrót SHA-256 przesłanej paczki faktur nie jest zgodny z zadeklarowanym skrótem: '{hash}'",
  ),
  435: final('Błąd odszyfrowania zaszyfrowanych części archiwum'),
  440: final('Sesja anulowana', 'Przekroczono czas wysyłki', 'Nie przesłano faktur'),
  445: final('Błąd weryfikacji, brak poprawnych faktur'),
  500: UNKNOWN_WITH_CODE,
} as const satisfies StatusCatalogue;

export const INVOICE_STATUS = {
  100: running('Faktura przyjęta do dalszego przetwarzania'),
  150: running('Trwa przetwarzanie'),
  200: final('Sukces'),
  405: final('Przetwarzanie anulowane z powodu błędu sesji'),
  410: final(
    'Nieprawidłowy zakres uprawnień',
    'Brak uprawnienia fakturowego',
    'Kontekst {id} nie jest uprawniony do wystawienia faktury w imieniu sprzedawcy (NIP: {nip})',
    'Sprzedawca {nip} nie posiada zgody do wysyłania faktur z załącznikami',
  ),
  415: final('Brak możliwości wysyłania faktury z załącznikiem'),
  430: explained(
    'Błąd weryfikacji pliku faktury',
    "Rozmiar faktury nie zgadza się z zadeklarowaną wartością: '{n}'.",
    "Skrót faktury nie zgadza się z zadeklarowaną wartością: '{hash}'.",
  ),
  435: final('Błąd odszyfrowania pliku', 'Plik niepoprawnie zaszyfrowany'),
  440: final(
    'Duplikat faktury',
    'Duplikat faktury. Faktura o numerze {SVC}: {number} została już prawidłowo przesłana do systemu w sesji: {session}',
  ),
  450: explained(
    'Błąd weryfikacji semantyki dokumentu faktury',
    'Nieprawidłowy XML',
    "Identyfikator wewnętrzny podmiotu trzeciego: '{id}' jest nieprawidłowy.",
  ),
  500: UNKNOWN_WITH_CODE,
  550: CANCELLED_BY_SYSTEM,
} as const satisfies StatusCatalogue;

export type AuthenticationStatusCode = keyof typeof AUTHENTICATION_STATUS;

export interface StatusBody {
  code: number;
  description: string;
  details?: string[];
}

/** `status` of an answer. Details without content are left out. A code outside the catalogue is a fault of ours. */
export function statusInfo(catalogue: StatusCatalogue, code: number, details: readonly string[] = []): StatusBody {
  const status = catalogue[code];
  if (status === undefined) throw new Error(`status ${code} is not in the catalogue`);
  const body = { code, description: status.description };
  return details.length === 0 ? body : { ...body, details: [...details] };
}
