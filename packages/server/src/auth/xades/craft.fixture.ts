/** Writes signed login requests by hand, every part exchangeable: what no honest tool would make. All text is canonical as it stands. */
import { createHash, type KeyObject, sign } from 'node:crypto';
import type { JudgeKey } from '../../platform/xml/judges.fixture.ts';
import { CHALLENGE, DSIG, ECDSA_SHA256, EXCLUSIVE, keyOf, NIP, SHA256, XADES } from './sample.fixture.ts';

const DS = ` xmlns:ds="${DSIG}"`;

export const request = (nip: string = NIP, attributes = '', challenge: string = CHALLENGE) =>
  `<AuthTokenRequest xmlns="http://svc.mf.gov.pl/auth/token/2.1"${attributes}><Challenge>${challenge}</Challenge><ContextIdentifier><Nip>${nip}</Nip></ContextIdentifier><SubjectIdentifierType>certificateSubject</SubjectIdentifierType></AuthTokenRequest>`;

export const step = (uri: string, content = '') => `<ds:Transform Algorithm="${uri}">${content}</ds:Transform>`;
export const ENVELOPED_STEP = step(`${DSIG}enveloped-signature`);
export const EXCLUSIVE_STEP = step(EXCLUSIVE);
export const filterStep = (...operations: [string, string][]) =>
  step(
    'http://www.w3.org/2002/06/xmldsig-filter2',
    operations
      .map(([f, x]) => `<f:XPath xmlns:f="http://www.w3.org/2002/06/xmldsig-filter2" Filter="${f}">${x}</f:XPath>`)
      .join(''),
  );

export interface CraftedReference {
  uri: string;
  type?: string;
  transforms?: string;
  /** Octets after the transforms. */
  content: string;
  digestMethod?: string;
  hash?: string;
}

export interface Craft {
  key?: JudgeKey;
  request?: string;
  form?: 'enveloped' | 'enveloping';
  /** Changes the list of references: the document's and that of the signed properties. */
  references?: (usual: CraftedReference[]) => CraftedReference[];
  method?: string;
  c14n?: string;
  /** Changes SignedInfo before it is signed. */
  signedInfo?: (usual: string) => string;
  /** Changes SignedProperties before they are digested. `ds` and `xades` are the declarations of the canonical form. */
  properties?: (usual: string) => string;
  qualifying?: (usual: string) => string;
  keyInfo?: string;
  value?: (data: Buffer, key: KeyObject) => Buffer;
  /** More objects of the signature. */
  objects?: string;
  /** Certificate whose digest stands in the signed properties. */
  certificate?: Buffer;
}

export const certificateInfo = (...certificates: Buffer[]) =>
  `<ds:KeyInfo><ds:X509Data>${certificates.map((c) => `<ds:X509Certificate>${c.toString('base64')}</ds:X509Certificate>`).join('')}</ds:X509Data></ds:KeyInfo>`;

const digestOf = (content: string | Buffer, hash = 'sha256') => createHash(hash).update(content).digest('base64');

export const signingCertificate = (certificate: Buffer) =>
  `<xades:SigningCertificateV2><xades:Cert><xades:CertDigest><ds:DigestMethod${DS} Algorithm="${SHA256}"></ds:DigestMethod><ds:DigestValue${DS}>${digestOf(certificate)}</ds:DigestValue></xades:CertDigest></xades:Cert></xades:SigningCertificateV2>`;

export function craft(options: Craft = {}): string {
  const key = options.key ?? keyOf('p-256');
  const text = options.request ?? request();
  const form = options.form ?? 'enveloped';
  const properties = (options.properties ?? ((p) => p))(
    `<xades:SignedProperties xmlns:xades="${XADES}" Id="SignedProperties"><xades:SignedSignatureProperties><xades:SigningTime>2026-01-02T03:04:05Z</xades:SigningTime>${signingCertificate(options.certificate ?? key.certificate)}</xades:SignedSignatureProperties></xades:SignedProperties>`,
  );
  const object = `<ds:Object${DS} Id="Request">${text}</ds:Object>`;
  const usual: CraftedReference[] = [
    form === 'enveloped'
      ? { uri: '', transforms: ENVELOPED_STEP + EXCLUSIVE_STEP, content: text }
      : { uri: '#Request', transforms: EXCLUSIVE_STEP, content: object },
    {
      uri: '#SignedProperties',
      type: 'http://uri.etsi.org/01903#SignedProperties',
      transforms: EXCLUSIVE_STEP,
      content: properties,
    },
  ];
  const references = (options.references ?? ((r) => r))(usual)
    .map(
      (r) =>
        `<ds:Reference${r.type ? ` Type="${r.type}"` : ''} URI="${r.uri}">${r.transforms ? `<ds:Transforms>${r.transforms}</ds:Transforms>` : ''}<ds:DigestMethod Algorithm="${r.digestMethod ?? SHA256}"></ds:DigestMethod><ds:DigestValue>${digestOf(r.content, r.hash)}</ds:DigestValue></ds:Reference>`,
    )
    .join('');
  const signedInfo = (options.signedInfo ?? ((s) => s))(
    `<ds:SignedInfo${DS}><ds:CanonicalizationMethod Algorithm="${options.c14n ?? EXCLUSIVE}"></ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${options.method ?? ECDSA_SHA256}"></ds:SignatureMethod>${references}</ds:SignedInfo>`,
  );
  const makeValue = options.value ?? ((data, k) => sign('sha256', data, { key: k, dsaEncoding: 'ieee-p1363' }));
  const value = makeValue(Buffer.from(signedInfo), key.privateKey).toString('base64');
  const qualifying = (options.qualifying ?? ((q) => q))(
    `<xades:QualifyingProperties xmlns:xades="${XADES}" Target="#Signature">${properties}</xades:QualifyingProperties>`,
  );
  const signature = `<ds:Signature${DS} Id="Signature">${signedInfo}<ds:SignatureValue>${value}</ds:SignatureValue>${options.keyInfo ?? certificateInfo(key.certificate)}${form === 'enveloping' ? object : ''}<ds:Object>${qualifying}</ds:Object>${options.objects ?? ''}</ds:Signature>`;
  return form === 'enveloping' ? signature : text.replace('</AuthTokenRequest>', `${signature}</AuthTokenRequest>`);
}
