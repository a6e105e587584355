import { createHash, type KeyObject, X509Certificate } from 'node:crypto';
import { makeValue, SIGNATURE_METHODS } from './algorithms.ts';
import { C14N_METHODS, type C14n, canonicalize, EXCLUSIVE_C14N } from './canonicalize.ts';
import { wholeDocument } from './node-set.ts';
import { withDocument } from './parse.ts';
import { DSIG } from './signature-model.ts';
import { ENVELOPED } from './transforms.ts';

const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';

/** A key of the key ring: the signer's certificate first in the chain. */
export interface Signer {
  privateKey: KeyObject;
  chain: readonly Buffer[];
}

export interface SignOptions {
  /** Moment of the clock, in milliseconds. */
  signingTime: number;
  /** `v2` (SigningCertificateV2, the default) or the older `v1`, which also names the issuer. */
  certificateReference?: 'v1' | 'v2';
  /**
   * The caller wrote the document in exclusive canonical form already (no unused namespace, no comment, attributes in order, no
   * empty-element tags). It is then signed as text, without parsing: several times faster.
   */
  canonical?: boolean;
}

const SIGN_LIMITS = { bytes: 64 * 1024 * 1024, depth: 250, elements: 2_000_000, attributes: 4_000_000 };

/**
 * Signs a document as XAdES baseline B, enveloped as the last child of its root: exclusive canonicalisation, SHA-256, RSA or ECDSA by
 * the key. The signature itself is written in canonical form, so only the document ever needs the engine.
 */
export function signEnveloped(xml: string, signer: Signer, options: SignOptions): Buffer {
  const end = endOfRoot(xml);
  const digest = createHash('sha256')
    .update(options.canonical ? withoutProlog(xml) : canonicalOf(xml))
    .digest('base64');
  const certificate = describe(signer.chain);
  const method = signatureMethod(signer.privateKey);
  const time = new Date(options.signingTime).toISOString().replace(/\.\d{3}Z$/, 'Z');
  const properties = (xades: string, ds: string) =>
    `<xades:SignedProperties${xades} Id="SignedProperties"><xades:SignedSignatureProperties><xades:SigningTime>${time}</xades:SigningTime>${
      options.certificateReference === 'v1' ? certificate.v1(ds) : certificate.v2(ds)
    }</xades:SignedSignatureProperties><xades:SignedDataObjectProperties><xades:DataObjectFormat ObjectReference="#DocumentReference"><xades:MimeType>text/xml</xades:MimeType></xades:DataObjectFormat></xades:SignedDataObjectProperties></xades:SignedProperties>`;
  const propertiesDigest = createHash('sha256')
    .update(properties(` xmlns:xades="${XADES}"`, ` xmlns:ds="${DSIG}"`))
    .digest('base64');
  const signedInfo = (ds: string) =>
    `<ds:SignedInfo${ds}><ds:CanonicalizationMethod Algorithm="${EXCLUSIVE_C14N}"></ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${method}"></ds:SignatureMethod>` +
    `<ds:Reference Id="DocumentReference" URI=""><ds:Transforms><ds:Transform Algorithm="${ENVELOPED}"></ds:Transform><ds:Transform Algorithm="${EXCLUSIVE_C14N}"></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="${SHA256}"></ds:DigestMethod><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference>` +
    `<ds:Reference Type="http://uri.etsi.org/01903#SignedProperties" URI="#SignedProperties"><ds:Transforms><ds:Transform Algorithm="${EXCLUSIVE_C14N}"></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="${SHA256}"></ds:DigestMethod><ds:DigestValue>${propertiesDigest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const data = Buffer.from(signedInfo(` xmlns:ds="${DSIG}"`));
  const value = makeValue(data, signer.privateKey, SIGNATURE_METHODS.get(method) as never).toString('base64');
  const signature =
    `<ds:Signature xmlns:ds="${DSIG}" Id="Signature">${signedInfo('')}<ds:SignatureValue>${value}</ds:SignatureValue>${certificate.keyInfo}` +
    `<ds:Object><xades:QualifyingProperties xmlns:xades="${XADES}" Target="#Signature">${properties('', '')}</xades:QualifyingProperties></ds:Object></ds:Signature>`;
  return Buffer.from(xml.slice(0, end) + signature + xml.slice(end));
}

/** Where the root's end tag begins. Our own documents end with it. */
function endOfRoot(xml: string): number {
  const end = xml.lastIndexOf('</');
  if (end < 0 || !/^<\/[^<>/]+>\s*$/.test(xml.slice(end))) {
    throw new Error('a document to sign must end with the end tag of its root element');
  }
  return end;
}

function withoutProlog(xml: string): string {
  const start = xml.startsWith('<?xml') ? xml.indexOf('?>') + 2 : 0;
  return xml.slice(start).trim();
}

function canonicalOf(xml: string): Buffer {
  const method = C14N_METHODS.get(EXCLUSIVE_C14N) as C14n;
  return withDocument(Buffer.from(xml), SIGN_LIMITS, (document) => canonicalize(wholeDocument(document), method));
}

function signatureMethod(key: KeyObject): string {
  if (key.asymmetricKeyType === 'rsa') return `${MORE}rsa-sha256`;
  if (key.asymmetricKeyType === 'ec') return `${MORE}ecdsa-sha256`;
  throw new Error(`cannot sign XML with a key of type ${key.asymmetricKeyType}`);
}

interface CertificateTexts {
  keyInfo: string;
  v1(ds: string): string;
  v2(ds: string): string;
}

const described = new WeakMap<Buffer, CertificateTexts>();

/** The parts of a signature that depend on the certificate alone, made once per certificate. */
function describe(chain: readonly Buffer[]): CertificateTexts {
  const leaf = chain[0];
  if (leaf === undefined) throw new Error('a signer needs its certificate');
  const known = described.get(leaf);
  if (known) return known;
  const digest = createHash('sha256').update(leaf).digest('base64');
  const certDigest = (ds: string) =>
    `<xades:CertDigest><ds:DigestMethod${ds} Algorithm="${SHA256}"></ds:DigestMethod><ds:DigestValue${ds}>${digest}</ds:DigestValue></xades:CertDigest>`;
  const x509 = new X509Certificate(leaf);
  const issuer = escapeText(x509.issuer.split('\n').reverse().join(','));
  const serial = BigInt(`0x${x509.serialNumber}`).toString();
  const texts: CertificateTexts = {
    keyInfo: `<ds:KeyInfo><ds:X509Data>${chain
      .map((der) => `<ds:X509Certificate>${der.toString('base64')}</ds:X509Certificate>`)
      .join('')}</ds:X509Data></ds:KeyInfo>`,
    v1: (ds) =>
      `<xades:SigningCertificate><xades:Cert>${certDigest(ds)}<xades:IssuerSerial><ds:X509IssuerName${ds}>${issuer}</ds:X509IssuerName><ds:X509SerialNumber${ds}>${serial}</ds:X509SerialNumber></xades:IssuerSerial></xades:Cert></xades:SigningCertificate>`,
    v2: (ds) => `<xades:SigningCertificateV2><xades:Cert>${certDigest(ds)}</xades:Cert></xades:SigningCertificateV2>`,
  };
  described.set(leaf, texts);
  return texts;
}

/** As canonical XML writes text. */
const escapeText = (text: string) =>
  text.replace(/[&<>\r]/g, (c) => (c === '&' ? '&amp;' : c === '<' ? '&lt;' : c === '>' ? '&gt;' : '&#xD;'));
