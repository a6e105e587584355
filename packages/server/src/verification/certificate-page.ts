import { html } from '../pages/html.ts';
import { type Page, pageOwner } from '../pages/layout.ts';
import type { PageSettings } from './invoice-page.ts';
import { CERTIFICATE_TEXTS } from './texts.ts';
import type { CertificateCheck } from './verify-certificate-link.ts';

/** Code II: the four checks, each with its sentence and, when it failed, with the reason. Undefined: the address is no such link. */
export function certificatePage(check: CertificateCheck | undefined, settings: PageSettings): Page {
  const { names, environment, language } = settings;
  const texts = CERTIFICATE_TEXTS[language];
  const common = { language, owner: pageOwner(names.displayName, environment), otherLanguage: true };
  if (!check) {
    const body = html`<h1 class="bad">${texts.malformed}</h1><p>${texts.malformedHint}</p>`;
    return { ...common, title: texts.malformed, body };
  }
  const { answer, inactiveBecause } = check;
  const { certificateExists, certificateActive, signatureValid, issuerAuthorized } = answer;
  const steps: [boolean, readonly [string, string], string | undefined][] = [
    [certificateExists, texts.exists, undefined],
    [certificateActive, texts.active, inactiveBecause && texts.reasons[inactiveBecause]],
    [signatureValid, texts.signature, texts.signatureReason],
    [issuerAuthorized, texts.authorized, texts.authorizedReason],
  ];
  const all = steps.every(([passed]) => passed);
  const title = all ? texts.good : texts.bad;
  const items = steps.map(([passed, [yes, no], reason], index) => {
    if (passed) return html`<li class="good">✓ ${yes}</li>`;
    const why = index > 0 && !certificateExists ? texts.notAsked : reason;
    return html`<li class="bad">✗ ${no}${why !== undefined && html` (${why})`}</li>`;
  });
  const body = html`<h1 class="${all ? 'good' : 'bad'}">${title}</h1>
<ul>${items}</ul>
<dl><dt>${texts.serial}</dt><dd>${answer.certificateSerialNumber}</dd>${answer.commonName !== undefined && html`<dt>${texts.commonName}</dt><dd>${answer.commonName}</dd>`}</dl>
<p class="note">${texts.hint}</p>`;
  return { ...common, title, body };
}
