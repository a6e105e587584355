import { INVOICE_FORMS } from '@kwit/contract/invoice-forms';
import { type Html, html } from '../html.ts';
import { pageText } from '../layout.ts';
import type { Language } from '../preferences.ts';
import { LABELS } from './labels.ts';
import { type Bounds, OWN_BOUNDS, readTree, SERVED_BOUNDS, type TreeReading } from './read-tree.ts';
import { rest, showFa } from './show-fa.ts';
import { showPef } from './show-pef.ts';
import { showRr } from './show-rr.ts';
import { showUpo } from './show-upo.ts';
import { type Row, say, type View } from './view.ts';
import { WORDS } from './words.ts';

export interface ShowOptions {
  language: Language;
  /** Number that the service gave, and the name of the service: shown on top when they are known. */
  number?: string;
  service?: string;
  bounds?: Bounds;
}

/** Markup of an invoice, a receipt or any other XML, to be put into a page. Throws `XmlUnreadable`. */
export function documentMarkup(bytes: Uint8Array, options: ShowOptions): { title: string; markup: Html } {
  const reading = readTree(bytes, options.bounds ?? OWN_BOUNDS);
  const { view, show } = kindOf(reading, options.language);
  const label = say(view, options.service === undefined ? WORDS.systemNumber : WORDS.numberOf);
  const known: Row[] =
    options.number === undefined ? [] : [[`${label} ${options.service ?? ''}`.trim(), options.number]];
  const { title, markup } = show(view, known);
  const notes = [reading.isCut && WORDS.cut, reading.isSigned && WORDS.signed].filter((words) => words !== false);
  return {
    title,
    markup: html`<article>${notes.map((words) => html`<p class="note">${say(view, words)}</p>`)}${markup}</article>`,
  };
}

type Show = (view: View, known: readonly Row[]) => { title: string; markup: Html };

/** By the root element and its namespace; what is not known is shown as it stands. */
function kindOf({ root }: TreeReading, language: Language): { view: View; show: Show } {
  const view = (labels: View['labels']): View => ({ language, labels, used: new Set() });
  const form = INVOICE_FORMS.find(({ namespace }) => namespace === root.namespace)?.systemCode;
  if (form === 'FA (2)' || form === 'FA (3)')
    return { view: view(LABELS.fa), show: (v, known) => showFa(v, root, known) };
  if (form === 'FA_RR (1)') return { view: view(LABELS.rr), show: (v, known) => showRr(v, root, known) };
  if (form !== undefined) return { view: view(LABELS.pef), show: (v, known) => showPef(v, root, known) };
  if (root.name === 'Potwierdzenie') return { view: view(LABELS.upo), show: (v) => showUpo(v, root) };
  const title = root.name;
  return { view: view(LABELS.fa), show: (v) => ({ title, markup: html`<h1>${title}</h1>${rest(v, root)}` }) };
}

/** A whole page from an XML document, to be kept as a file: nothing in it is loaded from elsewhere. */
export function showDocument(bytes: Uint8Array, options: ShowOptions): string {
  const { title, markup } = documentMarkup(bytes, options);
  const { language } = options;
  const [pl, en] = WORDS.view;
  return pageText({ language, title, owner: title, body: markup, foot: language === 'pl' ? pl : en });
}

/** For the thread pool: a served document, with the bounds for strangers. */
export function showServed(input: ShowOptions & { bytes: Uint8Array }): { title: string; markup: string } {
  const { bytes, ...options } = input;
  const { title, markup } = documentMarkup(bytes, { ...options, bounds: SERVED_BOUNDS });
  return { title, markup: markup.text };
}
