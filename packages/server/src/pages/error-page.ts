import type { DocumentAnswer } from '../platform/binding.ts';
import { html } from './html.ts';
import { pageAnswer } from './layout.ts';
import type { Language } from './preferences.ts';

type Words = Readonly<Record<Language, readonly [title: string, advice: string]>>;

const BY_STATUS: Readonly<Record<number, Words>> = {
  400: {
    pl: [
      'Nieprawidłowe żądanie',
      'Adres albo przesłane dane są nieprawidłowe. Sprawdź, czy kod QR został odczytany w całości.',
    ],
    en: ['Bad request', 'The address or the data sent is wrong. Check whether the QR code was read completely.'],
  },
  429: {
    pl: ['Zbyt wiele żądań', 'Odczekaj chwilę i spróbuj ponownie.'],
    en: ['Too many requests', 'Wait a moment and try again.'],
  },
};

const OTHERWISE: Words = {
  pl: ['Nie udało się', 'Tej strony nie można teraz pokazać. Spróbuj ponownie później.'],
  en: ['That did not work', 'This page cannot be shown now. Try again later.'],
};

/** A failure in words, for a reader who asked for a page. Nothing of the request is repeated. */
export function errorPage(
  failure: { status: number; headers: Readonly<Record<string, string>> },
  where: { language: Language; owner: string },
): DocumentAnswer {
  const [title, advice] = (BY_STATUS[failure.status] ?? OTHERWISE)[where.language];
  const { 'content-type': _, ...headers } = failure.headers;
  const seconds = headers['retry-after'];
  const wait =
    seconds !== undefined &&
    html`<p>${where.language === 'pl' ? `Pozostało: ${seconds} s` : `Time left: ${seconds} s`}</p>`;
  return pageAnswer(
    { ...where, title, body: html`<h1 class="bad">${title}</h1><p>${advice}</p>${wait}` },
    failure.status,
    headers,
  );
}
