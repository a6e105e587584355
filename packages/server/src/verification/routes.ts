import * as endpoints from '@kwit/contract/verification-endpoints';
import { type Binding, bind, type DocumentAnswer } from '../platform/binding.ts';
import type { VerificationDeps } from './deps.ts';
import { verifyCertificateLink } from './verify-certificate-link.ts';
import { verifyInvoiceLink } from './verify-invoice-link.ts';

interface Asked {
  url: { path: string };
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

export function verificationRoutes(deps: VerificationDeps): Binding[] {
  const byCertificate = async (call: Asked) =>
    (await verifyCertificateLink(deps, call.url.path, hostsOf(call))) ?? malformed();
  return [
    bind(endpoints.verifyInvoiceLink, ({ url }) => verifyInvoiceLink(deps, url.path)),
    bind(endpoints.verifyMalformedInvoiceLink, async () => ({ found: false })),
    bind(endpoints.verifyCertificateLink, byCertificate),
    bind(endpoints.verifyMalformedCertificateLink, async () => malformed()),
  ];
}
