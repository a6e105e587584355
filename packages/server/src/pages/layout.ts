import { createHash } from 'node:crypto';
import type { DocumentAnswer } from '../platform/binding.ts';
import { Html, type HtmlValue, html } from './html.ts';
import type { Language } from './preferences.ts';
import { STYLE } from './style.ts';

export interface Page {
  language: Language;
  title: string;
  /** Stands at the top: whose page this is. */
  owner: string;
  body: HtmlValue;
  foot?: HtmlValue;
  /** Offer the other language by a link to the same address. Not on pages that answer a form: the link would lose what was typed. */
  otherLanguage?: boolean;
}

/** Whose page it is: the name of the service, and which installation when it is not the real one. */
export function pageOwner(displayName: string, environment: string): string {
  return environment === 'PRD' ? displayName : `${displayName} · ${environment}`;
}

const OTHERS = {
  pl: { language: 'en', words: 'English' },
  en: { language: 'pl', words: 'Polski' },
} as const;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** Nothing is loaded from anywhere and nothing runs; the one style is known by its hash. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'self'`;

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': `${POLICY}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
  vary: 'Accept, Accept-Language',
};

export const PAGE_TYPE = 'text/html; charset=utf-8';

/** A whole page. The policy also stands inside, for pages that are kept as files. */
export function pageText(page: Page): string {
  const other = OTHERS[page.language];
  return html`<!doctype html>
<html lang="${page.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<header><strong>${page.owner}</strong>${page.otherLanguage === true && html`<a href="?lang=${other.language}" lang="${other.language}" hreflang="${other.language}">${other.words}</a>`}</header>
<main>
${page.body}
</main>
${page.foot !== undefined && html`<footer>${page.foot}</footer>`}
</body>
</html>
`.text;
}

export function pageAnswer(page: Page, status = 200, headers: Record<string, string> = {}): DocumentAnswer {
  return {
    status,
    contentType: PAGE_TYPE,
    bytes: Buffer.from(pageText(page)),
    headers: { ...PAGE_HEADERS, 'content-language': page.language, ...headers },
  };
}
