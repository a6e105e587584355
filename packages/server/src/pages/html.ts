/**
 * Markup that cannot be broken by what is put into it: every value is escaped, for text and for quoted attributes alike, unless it is
 * markup made here. Attributes must be quoted, and no value may stand inside a tag name, a style or a script: there are none.
 */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

export type HtmlValue = string | number | Html | undefined | false | readonly HtmlValue[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
}

export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = parts[0] as string;
  values.forEach((value, index) => {
    text += rendered(value) + (parts[index + 1] as string);
  });
  return new Html(text);
}

function rendered(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(rendered).join('');
  return escapeHtml(String(value));
}

export const NOTHING = new Html('');
