/** What a reader asks for in headers: a page or data, and in which language. Headers that cannot be read ask for nothing. */

export type Language = 'pl' | 'en';

interface Choice {
  value: string;
  weight: number;
  place: number;
}

const LONGEST_HEADER = 1_000;

function choicesOf(header: string | undefined): Choice[] {
  return (header ?? '')
    .slice(0, LONGEST_HEADER)
    .split(',')
    .map((part, place) => {
      const [value = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const written = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      const weight = written === undefined ? 1 : Number(written);
      return { value, weight: weight >= 0 && weight <= 1 ? weight : 0, place };
    })
    .filter(({ value }) => value !== '');
}

/** The choice that speaks of a media type: its own name before its family before anything at all. */
function choiceFor(choices: readonly Choice[], names: readonly string[]): Choice | undefined {
  return names.map((name) => choices.find(({ value }) => value === name)).find((choice) => choice !== undefined);
}

/** A page is what there is; data is for who asks for it, as programs do by naming JSON. */
export function prefersPage(accept: string | undefined): boolean {
  const choices = choicesOf(accept);
  if (choices.length === 0) return true;
  const page = choiceFor(choices, ['text/html', 'text/*', '*/*']);
  const data = choiceFor(choices, ['application/json', 'application/*', '*/*']);
  if (page === data) return page !== undefined && page.weight > 0;
  if ((page?.weight ?? 0) !== (data?.weight ?? 0)) return (page?.weight ?? 0) > (data?.weight ?? 0);
  // Equally welcome: what is named counts before what is only covered, then the one named first.
  if (page?.value === '*/*') return false;
  return data?.value === '*/*' || (page?.place ?? 0) < (data?.place ?? 0);
}

/** Polish unless English is wanted more; `chosen` is what was picked on the page itself. */
export function languageOf(acceptLanguage: string | undefined, chosen?: string): Language {
  if (chosen === 'pl' || chosen === 'en') return chosen;
  const known = choicesOf(acceptLanguage)
    .map(({ value, ...rest }) => ({ ...rest, language: value.split('-')[0] }))
    .filter(({ language, weight }) => weight > 0 && (language === 'pl' || language === 'en'))
    .sort((a, b) => b.weight - a.weight || a.place - b.place);
  return known[0]?.language === 'en' ? 'en' : 'pl';
}
