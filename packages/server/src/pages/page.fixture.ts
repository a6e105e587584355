/**
 * A strict reading of the markup our pages are made of, independent of how they are made: tags of a short list, attributes of a short
 * list in double quotes, text without a bare `<`, `>`, quote or ampersand. Anything else throws.
 */
const TAGS = new Set(
  'html head meta title style body header main footer strong a h1 h2 h3 p dl dt dd ul li div section article table thead tbody tfoot tr th td form label span input button'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'lang charset http-equiv content name class href hreflang scope role aria-label tabindex method for id value type autocomplete required maxlength inputmode'.split(
    ' ',
  ),
);

export interface ReadPage {
  /** Names of the tags in order. */
  tags: string[];
  /** Everything between tags, entities resolved. */
  text: string;
  /** Values of all attributes, entities resolved. */
  values: string[];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function resolved(text: string): string {
  if (/[<>"']/.test(text)) throw new Error(`a bare character in ${JSON.stringify(text.slice(0, 200))}`);
  return text.replace(/&([^;]*);?/g, (whole, name: string) => {
    const value = ENTITIES[name];
    if (value === undefined || !whole.endsWith(';')) throw new Error(`${whole.slice(0, 40)} is no entity of ours`);
    return value;
  });
}

export function readPage(page: string): ReadPage {
  const read: ReadPage = { tags: [], text: '', values: [] };
  let rest = page.replace(/^<!doctype html>\n/, '').replace(/<style>[^<]*<\/style>/, '');
  while (rest !== '') {
    const open = rest.indexOf('<');
    const text = open < 0 ? rest : rest.slice(0, open);
    read.text += resolved(text);
    if (open < 0) break;
    const tag = /^<(\/?)([a-z][a-z0-9]*)((?: +[a-z-]+(?:="[^"]*")?)*) *>/.exec(rest.slice(open));
    if (!tag) throw new Error(`no tag: ${rest.slice(open, open + 80)}`);
    const [whole, slash, name = '', attributes = ''] = tag;
    if (!TAGS.has(name)) throw new Error(`the tag ${name} is none of ours`);
    read.tags.push(`${slash}${name}`);
    for (const [, attribute = '', value = ''] of attributes.matchAll(/ +([a-z-]+)(?:="([^"]*)")?/g)) {
      if (!ATTRIBUTES.has(attribute)) throw new Error(`the attribute ${attribute} is none of ours`);
      // The policy of the page quotes its words with bare apostrophes of our own.
      read.values.push(attribute === 'content' ? value : resolved(value));
    }
    rest = rest.slice(open + whole.length);
  }
  return read;
}
