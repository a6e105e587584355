import { fromBase64Url, toBase64Url } from './base64url.ts';
import { isDate } from './date-time.ts';
import { CONTEXT_TYPES, type ContextType } from './enumerations.ts';
import { isNip } from './identifiers.ts';

/** Verification links printed on invoices: code I names an invoice, code II the certificate of its offline issuer. */

const HASH_BYTES = 32;

export interface InvoiceLink {
  sellerNip: string;
  /** `yyyy-MM-dd`. */
  issueDate: string;
  /** SHA-256 of the invoice file. */
  hash: Uint8Array;
}

/** `base` is scheme and host, perhaps a path, without a trailing slash. */
export function invoiceLink(base: string, link: InvoiceLink): string {
  const [year, month, day] = link.issueDate.split('-');
  return `${trimSlash(base)}/invoice/${link.sellerNip}/${day}-${month}-${year}/${toBase64Url(link.hash)}`;
}

/** Reads the path of code I (any base before `/invoice/`); undefined for anything that cannot name an invoice. */
export function parseInvoiceLink(path: string): InvoiceLink | undefined {
  const segments = segmentsAfter(path, 'invoice');
  if (segments?.length !== 3) return undefined;
  const [sellerNip, date, hashText] = segments.map(decode);
  if (sellerNip === undefined || date === undefined || hashText === undefined || !isNip(sellerNip)) return undefined;
  const written = /^(\d{2})-(\d{2})-(\d{4})$/.exec(date);
  const hash = readHash(hashText);
  if (written === null || hash === undefined) return undefined;
  const issueDate = `${written[3]}-${written[2]}-${written[1]}`;
  return isDate(issueDate) ? { sellerNip, issueDate, hash } : undefined;
}

export interface CertificateLink {
  contextType: ContextType;
  contextValue: string;
  sellerNip: string;
  certificateSerialNumber: string;
  /** SHA-256 of the invoice file. */
  hash: Uint8Array;
}

/** Text that the issuer signs: the link up to the hash, without scheme, in UTF-8. */
export function certificateLinkText(base: string, link: CertificateLink): string {
  const { contextType, contextValue, sellerNip, certificateSerialNumber } = link;
  const host = trimSlash(base).replace(/^https?:\/\//, '');
  return `${host}/certificate/${contextType}/${contextValue}/${sellerNip}/${certificateSerialNumber}/${toBase64Url(link.hash)}`;
}

/** Code II; `sign` gets the text as UTF-8 and gives the raw signature. */
export function certificateLink(base: string, link: CertificateLink, sign: (text: Uint8Array) => Uint8Array): string {
  const text = certificateLinkText(base, link);
  const scheme = /^https?:\/\//.exec(base)?.[0] ?? 'https://';
  return `${scheme}${text}/${toBase64Url(sign(new TextEncoder().encode(text)))}`;
}

export interface ParsedCertificateLink {
  contextType: ContextType;
  contextValue: string;
  sellerNip: string;
  certificateSerialNumber: string;
  /** Undefined: not 32 bytes in canonical Base64url, so no signature over it can be right. */
  hash: Uint8Array | undefined;
  signature: Uint8Array | undefined;
  /** What may have been signed, without host: as the link writes it, and with escapes resolved. */
  signedPaths: readonly string[];
}

/**
 * Reads the path of code II. Undefined: wrong number of parts or an unknown context type, which is a malformed link;
 * every other fault lies in a part and shows in the result of its check.
 */
export function parseCertificateLink(path: string): ParsedCertificateLink | undefined {
  const segments = segmentsAfter(path, 'certificate');
  if (segments?.length !== 6) return undefined;
  const decoded = segments.map(decode);
  const [contextType, contextValue, sellerNip, certificateSerialNumber, hashText, signatureText] = decoded;
  if (!decoded.every((segment) => segment) || !isContextType(contextType)) return undefined;
  const before = pathBefore(path, 'certificate');
  const bareHash = hashText!.replace(/={1,2}$/, '');
  const asWritten = [...segments.slice(0, 4), bareHash].join('/');
  const resolved = [contextType, contextValue, sellerNip, certificateSerialNumber, bareHash].join('/');
  const signature = fromBase64Url(signatureText!);
  return {
    contextType,
    contextValue: contextValue!,
    sellerNip: sellerNip!,
    certificateSerialNumber: certificateSerialNumber!,
    hash: readHash(hashText!),
    signature: signature?.length ? signature : undefined,
    signedPaths: [...new Set([`${before}/certificate/${asWritten}`, `${before}/certificate/${resolved}`])],
  };
}

/**
 * Texts that the signature may cover: every host with every path, also with `http://` in front, because some clients
 * strip only `https://` before they sign. The signer is fixed by the serial number, so more candidates do no harm.
 */
export function signedTextCandidates(link: ParsedCertificateLink, hosts: readonly string[]): string[] {
  const texts = new Set<string>();
  for (const host of hosts) {
    const bare = trimSlash(host).replace(/^https?:\/\//, '');
    for (const path of link.signedPaths) texts.add(`${bare}${path}`).add(`http://${bare}${path}`);
  }
  return [...texts];
}

function isContextType(text: string | undefined): text is ContextType {
  return (CONTEXT_TYPES as readonly (string | undefined)[]).includes(text);
}

function readHash(text: string): Uint8Array | undefined {
  const bytes = fromBase64Url(text);
  return bytes?.length === HASH_BYTES ? bytes : undefined;
}

function trimSlash(base: string): string {
  return base.replace(/\/+$/, '');
}

function withoutQuery(path: string): string {
  return path.replace(/[?#].*$/s, '');
}

/** Segments after the first `/{name}/`; one trailing slash does not count. */
function segmentsAfter(path: string, name: string): string[] | undefined {
  const bare = withoutQuery(path);
  const at = bare.indexOf(`/${name}/`);
  if (at < 0) return undefined;
  return bare
    .slice(at + name.length + 2)
    .replace(/\/$/, '')
    .split('/');
}

function pathBefore(path: string, name: string): string {
  const bare = withoutQuery(path);
  return bare.slice(0, bare.indexOf(`/${name}/`));
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
