import * as endpoints from '@kwit/contract/verification-endpoints';
import { pageAnswer } from '../pages/layout.ts';
import { languageOf, prefersPage } from '../pages/preferences.ts';
import { type Binding, bind, type DocumentAnswer } from '../platform/binding.ts';
import { answerDownload } from './answer-download.ts';
import { certificatePage } from './certificate-page.ts';
import type { VerificationDeps } from './deps.ts';
import { invoicePage, type PageSettings } from './invoice-page.ts';
import { verifyCertificateLink } from './verify-certificate-link.ts';
import { verifyInvoiceLink } from './verify-invoice-link.ts';

interface Asked {
  url: { path: string };
  query: { lang?: string };
  baseUrl: string;
  header(name: string): string | undefined;
}

const PREFIX = /\/(?:api\/)?v2$/i;

/** Addresses the link may have been made with: the public one and the one the request names, each with the prefix it used. */
function hostsOf({ baseUrl, header }: Asked): string[] {
  const host = header('host');
  return host === undefined ? [baseUrl] : [baseUrl, `${host}${PREFIX.exec(baseUrl)?.[0] ?? ''}`];
}

function malformed(): DocumentAnswer {
  const body = { error: 'malformed-link' };
  return { status: 400, contentType: 'application/json; charset=utf-8', bytes: Buffer.from(JSON.stringify(body)) };
}

/** Codes I and II: pages for people, data for programs that ask for JSON. */
export function verificationRoutes(deps: VerificationDeps): Binding[] {
  /** How to answer with a page; undefined: data is wanted. */
  const pageFor = ({ header, query }: Asked): PageSettings | undefined =>
    prefersPage(header('accept'))
      ? {
          names: deps.names,
          environment: deps.environment,
          language: languageOf(header('accept-language'), query.lang),
        }
      : undefined;

  const byInvoice = async (call: Asked) => {
    const answer = await verifyInvoiceLink(deps, call.url.path);
    const page = pageFor(call);
    return page ? pageAnswer(invoicePage(answer, page)) : answer;
  };
  const byCertificate = async (call: Asked) => {
    const check = await verifyCertificateLink(deps, call.url.path, hostsOf(call));
    const page = pageFor(call);
    if (page) return pageAnswer(certificatePage(check, page), check ? 200 : 400);
    return check?.answer ?? malformed();
  };
  return [
    bind(endpoints.verifyInvoiceLink, byInvoice),
    bind(endpoints.verifyMalformedInvoiceLink, byInvoice),
    bind(endpoints.downloadByLink, (call) =>
      answerDownload(deps, { path: call.url.path, body: call.raw, clientIp: call.clientIp }, pageFor(call)),
    ),
    bind(endpoints.verifyCertificateLink, byCertificate),
    bind(endpoints.verifyMalformedCertificateLink, byCertificate),
  ];
}
