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

/** Browsers name HTML and give everything else less weight; programs name JSON, or nothing. */
export function prefersPage(accept: string | undefined): boolean {
  const choices = choicesOf(accept);
  const page = choices.find(({ value }) => value === 'text/html');
  if (!page || page.weight === 0) return false;
  const data = ['application/json', 'application/*', '*/*']
    .map((wanted) => choices.find(({ value }) => value === wanted))
    .find((choice) => choice !== undefined);
  if (!data || data.weight !== page.weight) return page.weight > (data?.weight ?? 0);
  return data.value !== 'application/json' || page.place < data.place;
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
