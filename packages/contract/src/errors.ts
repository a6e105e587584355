/**
 * The error catalogue as data: texts are wire constants, clients compare some of them byte for byte.
 * `{SVC}` stays in the texts here; the edge fills it (see `fillTemplate` in names.ts).
 */
export * from './problem-texts.ts';

export interface CatalogueEntry {
  /** Status of the answer that carries the code. */
  readonly http: 400 | 429 | 500;
  /** Wire description, always the same for one code. */
  readonly text: string;
  /** When it is raised, for people. */
  readonly when: string;
  /** Kept in the catalogue because clients know it; never raised. */
  readonly retired?: boolean;
}

function badRequest(text: string, when: string): CatalogueEntry {
  return { http: 400, text, when };
}

export const ERRORS = {
  9101: badRequest('Nieprawidłowy dokument.', 'the XML holds no AuthTokenRequest that can be processed'),
  9102: badRequest('Brak podpisu.', 'the document carries no signature'),
  9103: badRequest('Przekroczona liczba dozwolonych podpisów.', 'the document carries more than one signature'),
  9105: badRequest(
    'Nieprawidłowy podpis.',
    'digest, value, algorithm, transform, key size or profile of the signature',
  ),
  21001: badRequest('Nieczytelna treść.', 'empty, not well-formed, or with a DOCTYPE'),
  21111: badRequest('Nieprawidłowe wyzwanie autoryzacyjne.', 'the challenge is unknown, expired or used'),
  21115: badRequest('Nieprawidłowy certyfikat.', 'the signing certificate is not acceptable'),
  21117: badRequest(
    'Nieprawidłowy identyfikator podmiotu dla wskazanego typu kontekstu.',
    'the identifier of the subject does not fit the type of the context',
  ),
  21154: {
    http: 400,
    text: 'Sesja interaktywna zakończona.',
    when: 'replaced by 21180 before release 2.0.0',
    retired: true,
  },
  21155: badRequest('Przekroczono dozwoloną liczbę faktur w sesji.', 'the session already holds as many as allowed'),
  21157: badRequest(
    'Nieprawidłowy rozmiar części pakietu.',
    'a part is too big, or its size is not the one that was declared',
  ),
  21161: badRequest('Przekroczono dozwoloną liczbę części pakietu.', 'more than 50 parts were declared'),
  21164: badRequest('Faktura o podanym identyfikatorze nie istnieje.', 'no invoice has this number'),
  21165: badRequest(
    'Faktura o podanym numerze {SVC} nie jest jeszcze dostępna.',
    'the invoice is processed but not yet in permanent storage',
  ),
  21166: badRequest('Korekta techniczna niedostępna.', 'an accepted technical correction exists already'),
  21167: badRequest(
    'Status faktury nie pozwala na korektę techniczną.',
    'the invoice to correct was accepted, is in progress, or failed for lack of permission',
  ),
  21173: badRequest('Brak sesji o wskazanym numerze referencyjnym.', 'no session has this reference number'),
  21175: badRequest('Wynik zapytania o podanym identyfikatorze nie istnieje.', 'no export has this reference number'),
  21178: badRequest('Nie znaleziono UPO dla podanych kryteriów.', 'there is no such receipt'),
  21180: badRequest('Status sesji nie pozwala na wykonanie operacji.', 'the session is in another state than 100'),
  21181: badRequest(
    'Nieprawidłowe żądanie eksportu faktur.',
    'the subject type cannot be exported in this type of context',
  ),
  21182: badRequest('Osiągnięto limit trwających eksportów.', 'the caller already runs ten exports in this context'),
  21183: badRequest(
    'Zakres filtrowania wykracza poza dostępny zakres danych.',
    'the range begins after the high water mark and is restricted to it',
  ),
  21205: badRequest('Pakiet nie może być pusty.', 'a declared part was not uploaded'),
  21208: badRequest(
    'Czas oczekiwania na requesty upload lub finish został przekroczony.',
    'the batch session was cancelled because its time ran out',
  ),
  21217: badRequest('Nieprawidłowe kodowanie znaków.', 'the document is not UTF-8'),
  21301: badRequest(
    'Brak autoryzacji.',
    'tokens already fetched, the status forbids fetching or refreshing, or the system token was revoked',
  ),
  21304: badRequest('Brak uwierzytelnienia.', 'no authentication operation has this reference number'),
  21308: badRequest(
    'Próba wykorzystania metod autoryzacyjnych osoby zmarłej.',
    'the credentials belong to a deceased person',
  ),
  21401: badRequest('Dokument nie jest zgodny ze schemą (xsd).', 'the document breaks its XSD'),
  21402: badRequest('Nieprawidłowy rozmiar pliku.', 'the content has another length than declared'),
  21403: badRequest('Nieprawidłowy skrót pliku.', 'the content has another hash than declared'),
  21405: badRequest('Błąd walidacji danych wejściowych.', 'any other failed validation of the input'),
  21406: badRequest(
    'Konflikt podpisu i typu uwierzytelnienia.',
    'the signature does not fit the chosen identification of the subject',
  ),
  21418: badRequest(
    'Przekazany token kontynuacji ma nieprawidłowy format.',
    'the continuation token is malformed, altered, or of another list',
  ),
  21470: badRequest(
    'Przesłany identyfikator klucza jest nieznany lub wskazuje na wycofany klucz.',
    'the public key id is unknown, withdrawn, not valid now, or of another usage',
  ),
  25001: badRequest(
    'Brak możliwości pobrania danych do CSR dla wykorzystanego sposobu uwierzytelnienia.',
    'the login method gives no certificate data',
  ),
  25002: badRequest(
    'Brak możliwości złożenia wniosku certyfikacyjnego dla wykorzystanego sposobu uwierzytelnienia.',
    'the login method may not enrol',
  ),
  25003: badRequest(
    'Dane w CSR nie zgadzają się z danymi w użytym wektorze uwierzytelniającym.',
    'the subject of the CSR differs from the enrollment data',
  ),
  25004: badRequest('Niepoprawny format CSR lub niepoprawny podpis CSR.', 'the CSR is unreadable or badly signed'),
  25005: badRequest(
    'Wniosek certyfikacyjny o podanym numerze referencyjnym nie istnieje.',
    'no enrollment of the caller has this reference number',
  ),
  25006: badRequest(
    'Osiągnięto limit możliwych do złożenia wniosków certyfikacyjnych.',
    'the enrollment limit is used up',
  ),
  25007: badRequest(
    'Osiągnięto limit dopuszczalnej liczby posiadanych certyfikatów.',
    'the limit of active certificates is used up',
  ),
  25008: badRequest('Certyfikat o podanym numerze seryjnym nie istnieje.', 'the caller owns no such certificate'),
  25009: badRequest(
    'Nie można odwołać wskazanego certyfikatu, ponieważ jest już odwołany, zablokowany lub nieważny.',
    'the certificate is not active',
  ),
  25010: badRequest('Nieprawidłowy typ lub długość klucza.', 'the key is neither RSA 2048 nor EC P-256'),
  25011: badRequest('Nieprawidłowy algorytm podpisu CSR.', 'the signature algorithm of the CSR is not allowed'),
  26001: badRequest(
    'Nie można nadać tokenowi uprawnień których nie posiadasz.',
    'the caller lacks a permission asked for the token',
  ),
  26002: badRequest(
    'Nie można wygenerować tokena dla obecnego typu kontekstu.',
    'the context is neither Nip nor InternalId',
  ),
  30001: badRequest('Podmiot lub uprawnienie już istnieje.', 'the test entity exists already'),
  429: { http: 429, text: 'Too Many Requests', when: 'a rate limit is exceeded' },
  500: { http: 500, text: 'Wystąpił nieoczekiwany błąd.', when: 'an unexpected failure of the service' },
} as const satisfies Record<number, CatalogueEntry>;

export type ErrorCode = keyof typeof ERRORS;

const entries: ReadonlyMap<number, CatalogueEntry> = new Map(
  Object.entries(ERRORS).map(([code, entry]) => [Number(code), entry]),
);

export function isErrorCode(code: number): code is ErrorCode {
  return entries.has(code);
}

/** Entry of a code; a code outside the catalogue is a fault of ours, so it throws. */
export function errorEntry(code: number): CatalogueEntry {
  const entry = entries.get(code);
  if (entry === undefined) throw new Error(`code ${code} is not in the error catalogue`);
  return entry;
}
