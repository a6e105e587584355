/** Signed login requests for the tests, from templates that xmlsec1 or the JDK complete. */
import { createHash } from 'node:crypto';
import { personCertificate, sealCertificate, type TestKey } from '@kwit/client/test-certificates';
import type { JudgeKey } from '../../platform/xml/judges.fixture.ts';
import type { XadesInput, XadesOutcome } from './outcome.ts';
import { verifyXadesRequest } from './verify-xades-request.ts';

export const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
export const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const INCLUSIVE = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
export const C14N_11 = 'http://www.w3.org/2006/12/xml-c14n11';
export const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const ECDSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';

export const CHALLENGE = '20250604-CR-461EA5B000-537A6BA15D-D7';
export const NIP = '5265877635';

/** Everything that canonicalisations treat each in its own way, and that the schema still allows. */
export const HARD_REQUEST = `<?xml version="1.0" encoding="utf-8"?>
<?before the root?>
<!-- a comment before the root -->
<AuthTokenRequest xmlns:unused="urn:unused" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="http://ksef.mf.gov.pl/auth/token/2.1" xsi:schemaLocation = 'http://ksef.mf.gov.pl/auth/token/2.1   "a"&#9;b'>
  <!-- a comment inside --><?inside one?>
  <Challenge><![CDATA[20250604-CR]]>-461EA5B000-537A6BA15D-D7
  </Challenge>&#13;
  <ContextIdentifier><Nip xmlns:more="urn:more">526587763&#53;</Nip></ContextIdentifier>
  <SubjectIdentifierType>certificateSubject</SubjectIdentifierType>
  <AuthorizationPolicy><AllowedIps/></AuthorizationPolicy>
@SIGNATURE@</AuthTokenRequest>
<?after the root?>
<!-- and a last one -->
`;

export const PLAIN_REQUEST = `<AuthTokenRequest xmlns="http://svc.mf.gov.pl/auth/token/2.0"><Challenge>${CHALLENGE}</Challenge><ContextIdentifier><Nip>${NIP}</Nip></ContextIdentifier><SubjectIdentifierType>certificateSubject</SubjectIdentifierType>@SIGNATURE@</AuthTokenRequest>`;

const keys = new Map<TestKey, JudgeKey>();

/** One key and certificate of a kind for the whole run. */
export function keyOf(kind: TestKey): JudgeKey {
  const known = keys.get(kind);
  if (known) return known;
  const made = sealCertificate({ name: 'Łódzka Spółka & Synowie', nip: NIP }, { key: kind });
  keys.set(kind, made);
  return made;
}

export const person = (key?: TestKey) =>
  personCertificate({ givenName: 'Anna', surname: 'Żuk', pesel: '88102341294' }, key ? { key } : {});

export interface Template {
  signatureMethod?: string;
  digestMethod?: string;
  c14n?: string;
  /** Content of `ds:CanonicalizationMethod`. */
  c14nParameters?: string;
  transforms?: string;
  uri?: string;
  propertiesTransforms?: string;
}

export const transform = (uri: string, content = '') => `<ds:Transform Algorithm="${uri}">${content}</ds:Transform>`;
export const ENVELOPED = transform(`${DSIG}enveloped-signature`);
export const XPATH = transform(
  'http://www.w3.org/TR/1999/REC-xpath-19991116',
  '<ds:XPath> not( ancestor-or-self::ds:Signature ) </ds:XPath>',
);
export const filter2 = (...operations: [string, string][]) =>
  transform(
    'http://www.w3.org/2002/06/xmldsig-filter2',
    operations
      .map(
        ([filter, expression]) =>
          `<f:XPath xmlns:f="http://www.w3.org/2002/06/xmldsig-filter2" Filter="${filter}">${expression}</f:XPath>`,
      )
      .join(''),
  );

export function qualifyingProperties(certificate: Buffer, inner = ''): string {
  const digest = createHash('sha256').update(certificate).digest('base64');
  return `<xades:QualifyingProperties xmlns:xades="${XADES}" xmlns:ds="${DSIG}" Target="#Signature">
  <xades:SignedProperties Id="SignedProperties"><xades:SignedSignatureProperties>
    <xades:SigningTime>2026-01-02T03:04:05Z</xades:SigningTime>
    <xades:SigningCertificate><xades:Cert><xades:CertDigest><ds:DigestMethod Algorithm="${SHA256}"/><ds:DigestValue>${digest}</ds:DigestValue></xades:CertDigest><xades:IssuerSerial><ds:X509IssuerName>CN=not compared</ds:X509IssuerName><ds:X509SerialNumber>-1</ds:X509SerialNumber></xades:IssuerSerial></xades:Cert></xades:SigningCertificate>${inner}
  </xades:SignedSignatureProperties></xades:SignedProperties>
</xades:QualifyingProperties>`;
}

/** A `ds:Signature` without digests and value, for xmlsec1 to fill. */
export function signatureTemplate(key: JudgeKey, options: Template = {}, object = ''): string {
  const digest = `<ds:DigestMethod Algorithm="${options.digestMethod ?? SHA256}"/><ds:DigestValue></ds:DigestValue>`;
  const method = options.signatureMethod ?? (key.privateKey.asymmetricKeyType === 'ec' ? ECDSA_SHA256 : RSA_SHA256);
  return `<ds:Signature xmlns:ds="${DSIG}" Id="Signature"><ds:SignedInfo>
  <!-- kept by WithComments --><ds:CanonicalizationMethod Algorithm="${options.c14n ?? EXCLUSIVE}">${options.c14nParameters ?? ''}</ds:CanonicalizationMethod>
  <ds:SignatureMethod Algorithm="${method}"/>
  <ds:Reference URI="${options.uri ?? ''}"><ds:Transforms>${options.transforms ?? ENVELOPED + transform(EXCLUSIVE)}</ds:Transforms>${digest}</ds:Reference>
  <ds:Reference Type="http://uri.etsi.org/01903#SignedProperties" URI="#SignedProperties"><ds:Transforms>${options.propertiesTransforms ?? transform(EXCLUSIVE)}</ds:Transforms>${digest}</ds:Reference>
</ds:SignedInfo><ds:SignatureValue></ds:SignatureValue><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${key.certificate.toString('base64')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${object}<ds:Object>${qualifyingProperties(key.certificate)}</ds:Object></ds:Signature>`;
}

export const bare = (request: string) => request.replace('@SIGNATURE@', '');

export function verify(xml: string | Uint8Array, options: Partial<XadesInput> = {}): XadesOutcome {
  const bytes = typeof xml === 'string' ? Buffer.from(xml) : xml;
  return verifyXadesRequest({ bytes, mode: 'strict', allowSha1: true, ...options }) as XadesOutcome;
}

export const text = (details: readonly { template: string; values?: Readonly<Record<string, unknown>> }[]) =>
  details.map((d) => d.template.replace(/\{(\w+)\}/g, (_, name) => String(d.values?.[name]))).join('\n');

/** `accepted`, or the code and the texts of the refusal. */
export function verdictOf(outcome: XadesOutcome): string {
  if ('refusal' in outcome) return `${outcome.refusal.code} ${text(outcome.refusal.details)}`;
  if ('refusal' in outcome.verdict) return `${outcome.verdict.refusal.code} ${text(outcome.verdict.refusal.details)}`;
  return 'accepted';
}
