import type { Names } from '@kwit/contract/names';
import { CONTROL_FIELDS } from '@kwit/contract/verification-endpoints';
import { Html, type HtmlValue, html } from '../pages/html.ts';
import { type Page, pageOwner } from '../pages/layout.ts';
import type { Language } from '../pages/preferences.ts';
import type { ControlProblem } from './control-data.ts';
import { type InvoiceTexts, invoiceTexts } from './texts.ts';
import type { InvoiceLinkAnswer } from './verify-invoice-link.ts';

export interface PageSettings {
  names: Names;
  environment: string;
  language: Language;
}

const common = ({ names, environment, language }: PageSettings) => ({
  language,
  owner: pageOwner(names.displayName, environment),
});

/** What came of the form, said above it. */
export type FormMessage =
  | { problems: readonly ControlProblem[] }
  | { wrong: true; left: number }
  | { lockedMinutes: number };

/** Code I: whether there is such an invoice, its basic data, and the questions before the rest is shown. */
export function invoicePage(answer: InvoiceLinkAnswer, settings: PageSettings, message?: FormMessage): Page {
  const texts = invoiceTexts(settings.language, settings.names);
  if (!answer.found) {
    const body = html`<h1 class="bad">${texts.absent}</h1><p>${texts.absentHint}</p>`;
    return { ...common(settings), title: texts.absent, body, otherLanguage: true };
  }
  const rows: [string, string | undefined][] = [
    [texts.number, answer.svcNumber],
    [texts.issueDate, answer.issueDate],
    [texts.sellerNip, answer.sellerNip],
    [texts.sellerName, answer.sellerName],
    [texts.mode, answer.invoicingMode && texts.modes[answer.invoicingMode]],
  ];
  const body = html`<h1 class="good">${texts.present}</h1>
${answer.technicallyCorrected === true && html`<p class="note">${texts.corrected}</p>`}
<dl>${rows.map(([label, value]) => value !== undefined && html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>
<h2>${texts.download}</h2>
${message && html`<p class="note bad" role="alert">${messageText(message, texts)}</p>`}
${!(message && 'lockedMinutes' in message) && controlForm(texts)}`;
  return { ...common(settings), title: texts.present, body, otherLanguage: true };
}

function messageText(message: FormMessage, texts: InvoiceTexts): HtmlValue {
  if ('problems' in message) return message.problems.map((problem) => texts.problems[problem]).join(' ');
  if ('lockedMinutes' in message) return texts.locked(message.lockedMinutes);
  return `${texts.wrong} ${texts.left(message.left)}`;
}

/** Posts to the address it stands on: no address is written, so none can be wrong behind a proxy. What was typed is not repeated. */
function controlForm(texts: InvoiceTexts): Html {
  const field = (name: keyof typeof CONTROL_FIELDS, label: string, hint: string, more: Html) =>
    html`<p><label for="${name}">${label} <span class="hint">${hint}</span></label><input id="${name}" name="${CONTROL_FIELDS[name]}" autocomplete="off" ${more}></p>`;
  const required = new Html('required maxlength="256"');
  return html`<form method="post">
<p>${texts.downloadHint}</p>
${field('invoiceNumber', texts.invoiceNumber, texts.invoiceNumberHint, required)}
${field('buyerIdentifier', texts.buyerIdentifier, texts.buyerIdentifierHint, new Html('maxlength="100"'))}
${field('grossAmount', texts.grossAmount, texts.grossAmountHint, new Html('required maxlength="40" inputmode="decimal"'))}
<p><button type="submit" name="${CONTROL_FIELDS.view}" value="page">${texts.show}</button> <button type="submit" name="${CONTROL_FIELDS.view}" value="xml">${texts.getXml}</button></p>
</form>`;
}

export interface ShownInvoice {
  /** Heading and markup of the document; undefined: it could not be shown. */
  shown: { title: string; markup: string } | undefined;
  /** The form as it was sent: the button for the file sends it again. */
  typed: { invoiceNumber: string; buyerIdentifier: string; grossAmount: string };
}

/** The invoice itself, after the right answers. */
export function shownInvoicePage({ shown, typed }: ShownInvoice, settings: PageSettings): Page {
  const texts = invoiceTexts(settings.language, settings.names);
  const hidden = Object.entries(typed).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const body = html`<form method="post">${hidden}<p><button type="submit" name="${CONTROL_FIELDS.view}" value="xml">${texts.getXml}</button></p></form>
${shown ? new Html(shown.markup) : html`<h1>${texts.present}</h1><p class="note">${texts.notShown}</p>`}`;
  return { ...common(settings), title: shown?.title ?? texts.present, body };
}
