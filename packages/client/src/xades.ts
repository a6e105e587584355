import { constants, createHash, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { systemEnvironment } from './environment.ts';

/**
 * Signed AuthTokenRequest documents, made without an XML library: every element is written in the very form that canonicalisation
 * would give it, so that what is digested is plain text.
 */
export interface AuthTokenRequest {
  challenge: string;
  context: { type: 'Nip' | 'InternalId' | 'NipVatUe' | 'PeppolId'; value: string };
  subjectIdentifierType: 'certificateSubject' | 'certificateFingerprint';
  /** Addresses from which the tokens may be used; empty or absent means from anywhere. */
  allowedIps?: { addresses?: readonly string[]; ranges?: readonly string[]; masks?: readonly string[] };
  /** Version of the schema, default 2.1. */
  version?: '2.0' | '2.1';
  /** Which name's namespace, default `svc`. */
  name?: 'svc' | 'ksef';
}

export type XadesPackaging = 'enveloped' | 'enveloping' | 'enveloping-base64';
export type SignatureHash = 'sha1' | 'sha256' | 'sha384' | 'sha512' | 'sha3-256' | 'sha3-384' | 'sha3-512';

export interface XadesSigner {
  privateKey: KeyObject;
  /** DER of the signing certificate. */
  certificate: Buffer;
  /** DER of its issuers, put into KeyInfo after it. */
  issuers?: readonly Buffer[];
}

export interface XadesOptions {
  packaging?: XadesPackaging;
  /** For RSA keys: PKCS#1 v1.5 (default) or PSS. */
  padding?: 'pkcs1' | 'pss';
  /** Hash of the signature; default SHA-256, or by the curve's size. */
  hash?: SignatureHash;
  /** Digest of the references, default SHA-256. */
  digest?: SignatureHash;
  certificateReference?: 'v1' | 'v2';
  /** Milliseconds since 1970, default now. */
  signingTime?: number;
}

const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const XADES = 'http://uri.etsi.org/01903/v1.3.2#';
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const MORE_2001 = 'http://www.w3.org/2001/04/xmldsig-more#';
const MORE_2007 = 'http://www.w3.org/2007/05/xmldsig-more#';
const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';

const DIGESTS: Record<SignatureHash, string> = {
  sha1: `${DSIG}sha1`,
  sha256: `${XMLENC}sha256`,
  sha384: `${MORE_2001}sha384`,
  sha512: `${XMLENC}sha512`,
  'sha3-256': `${MORE_2007}sha3-256`,
  'sha3-384': `${MORE_2007}sha3-384`,
  'sha3-512': `${MORE_2007}sha3-512`,
};

/** The document to sign, in canonical form. */
export function authTokenRequestXml(request: AuthTokenRequest): string {
  const { type, value } = request.context;
  const ips = request.allowedIps;
  const list = (name: string, values: readonly string[] = []) =>
    values.map((v) => element(name, escapeText(v))).join('');
  const policy =
    ips === undefined
      ? ''
      : element(
          'AuthorizationPolicy',
          element(
            'AllowedIps',
            list('Ip4Address', ips.addresses) + list('Ip4Range', ips.ranges) + list('Ip4Mask', ips.masks),
          ),
        );
  return `<AuthTokenRequest xmlns="http://${request.name ?? 'svc'}.mf.gov.pl/auth/token/${request.version ?? '2.1'}">${
    element('Challenge', escapeText(request.challenge)) +
    element('ContextIdentifier', element(type, escapeText(value))) +
    element('SubjectIdentifierType', request.subjectIdentifierType) +
    policy
  }</AuthTokenRequest>`;
}

/** Makes the request and signs it: XAdES-BES, ready for `POST /auth/xades-signature`. */
export function signAuthTokenRequest(request: AuthTokenRequest, signer: XadesSigner, options?: XadesOptions): string {
  return signXades(authTokenRequestXml(request), signer, options);
}

/** Signs a document that is in exclusive canonical form already. */
function signXades(canonicalXml: string, signer: XadesSigner, options: XadesOptions = {}): string {
  const packaging = options.packaging ?? 'enveloped';
  const hash = options.hash ?? defaultHash(signer.privateKey);
  const digest = options.digest ?? 'sha256';
  const digestOf = (data: string) => createHash(digest).update(data).digest('base64');
  const time = new Date(options.signingTime ?? systemEnvironment.now()).toISOString().replace(/\.\d{3}Z$/, 'Z');
  const properties = (xades: string, ds: string) =>
    `<xades:SignedProperties${xades} Id="SignedProperties"><xades:SignedSignatureProperties><xades:SigningTime>${time}</xades:SigningTime>${signingCertificate(
      signer.certificate,
      digest,
      ds,
      options.certificateReference ?? 'v1',
    )}</xades:SignedSignatureProperties></xades:SignedProperties>`;
  const object = (ds: string) => `<ds:Object${ds} Id="Request">${canonicalXml}</ds:Object>`;
  const ds = ` xmlns:ds="${DSIG}"`;
  const data =
    packaging === 'enveloped'
      ? reference('', undefined, [`${DSIG}enveloped-signature`, EXCLUSIVE], digest, digestOf(canonicalXml))
      : packaging === 'enveloping'
        ? reference('#Request', undefined, [EXCLUSIVE], digest, digestOf(object(ds)))
        : reference('#Request', undefined, [`${DSIG}base64`], digest, digestOf(canonicalXml));
  const propertiesText = properties(` xmlns:xades="${XADES}"`, ds);
  const method = signatureMethod(signer.privateKey, hash, options.padding ?? 'pkcs1');
  const signedInfo = (declaration: string) =>
    `<ds:SignedInfo${declaration}><ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}"></ds:CanonicalizationMethod><ds:SignatureMethod Algorithm="${method}"></ds:SignatureMethod>${
      data +
      reference(
        '#SignedProperties',
        'http://uri.etsi.org/01903#SignedProperties',
        [EXCLUSIVE],
        digest,
        digestOf(propertiesText),
      )
    }</ds:SignedInfo>`;
  const value = signatureValue(signedInfo(ds), signer.privateKey, hash, options.padding ?? 'pkcs1');
  const inner =
    packaging === 'enveloped'
      ? ''
      : packaging === 'enveloping'
        ? object('')
        : `<ds:Object Encoding="${DSIG}base64" Id="Request">${Buffer.from(canonicalXml).toString('base64')}</ds:Object>`;
  const certificates = [signer.certificate, ...(signer.issuers ?? [])]
    .map((der) => `<ds:X509Certificate>${der.toString('base64')}</ds:X509Certificate>`)
    .join('');
  const signature =
    `<ds:Signature${ds} Id="Signature">${signedInfo('')}<ds:SignatureValue>${value}</ds:SignatureValue><ds:KeyInfo><ds:X509Data>${certificates}</ds:X509Data></ds:KeyInfo>` +
    `${inner}<ds:Object><xades:QualifyingProperties xmlns:xades="${XADES}" Target="#Signature">${properties('', '')}</xades:QualifyingProperties></ds:Object></ds:Signature>`;
  if (packaging !== 'enveloped') return signature;
  const end = canonicalXml.lastIndexOf('</');
  return canonicalXml.slice(0, end) + signature + canonicalXml.slice(end);
}

function reference(
  uri: string,
  type: string | undefined,
  transforms: readonly string[],
  digest: SignatureHash,
  value: string,
): string {
  const steps = transforms.map((t) => `<ds:Transform Algorithm="${t}"></ds:Transform>`).join('');
  return `<ds:Reference${type === undefined ? '' : ` Type="${type}"`} URI="${uri}"><ds:Transforms>${steps}</ds:Transforms><ds:DigestMethod Algorithm="${DIGESTS[digest]}"></ds:DigestMethod><ds:DigestValue>${value}</ds:DigestValue></ds:Reference>`;
}

function signingCertificate(der: Buffer, digest: SignatureHash, ds: string, form: 'v1' | 'v2'): string {
  const value = createHash(digest).update(der).digest('base64');
  const certDigest = `<xades:CertDigest><ds:DigestMethod${ds} Algorithm="${DIGESTS[digest]}"></ds:DigestMethod><ds:DigestValue${ds}>${value}</ds:DigestValue></xades:CertDigest>`;
  if (form === 'v2') {
    return `<xades:SigningCertificateV2><xades:Cert>${certDigest}</xades:Cert></xades:SigningCertificateV2>`;
  }
  const x509 = new X509Certificate(der);
  // The name as RFC 2253 writes it: last attribute first.
  const issuer = escapeText(x509.issuer.split('\n').reverse().join(','));
  const serial = BigInt(`0x${x509.serialNumber}`).toString();
  return `<xades:SigningCertificate><xades:Cert>${certDigest}<xades:IssuerSerial><ds:X509IssuerName${ds}>${issuer}</ds:X509IssuerName><ds:X509SerialNumber${ds}>${serial}</ds:X509SerialNumber></xades:IssuerSerial></xades:Cert></xades:SigningCertificate>`;
}

function defaultHash(key: KeyObject): SignatureHash {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  return curve === 'secp384r1' ? 'sha384' : curve === 'secp521r1' ? 'sha512' : 'sha256';
}

function signatureMethod(key: KeyObject, hash: SignatureHash, padding: 'pkcs1' | 'pss'): string {
  if (key.asymmetricKeyType === 'ec') {
    return hash.startsWith('sha3-')
      ? `http://www.w3.org/2021/04/xmldsig-more#ecdsa-${hash}`
      : `${MORE_2001}ecdsa-${hash}`;
  }
  if (key.asymmetricKeyType !== 'rsa') throw new Error(`cannot sign with a key of type ${key.asymmetricKeyType}`);
  if (padding === 'pss') return `${MORE_2007}${hash}-rsa-MGF1`;
  if (hash.startsWith('sha3-')) throw new Error('RSA with SHA-3 is only known with PSS padding');
  return hash === 'sha1' ? `${DSIG}rsa-sha1` : `${MORE_2001}rsa-${hash}`;
}

function signatureValue(text: string, key: KeyObject, hash: SignatureHash, padding: 'pkcs1' | 'pss'): string {
  const data = Buffer.from(text);
  if (key.asymmetricKeyType === 'ec') return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' }).toString('base64');
  if (padding === 'pkcs1') return sign(hash, data, { key, padding: constants.RSA_PKCS1_PADDING }).toString('base64');
  const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return sign(hash, data, pss).toString('base64');
}

const element = (name: string, content: string) => `<${name}>${content}</${name}>`;

/** Text as canonical XML writes it. */
const escapeText = (text: string) =>
  text.replace(/[&<>\r]/g, (c) => (c === '&' ? '&amp;' : c === '<' ? '&lt;' : c === '>' ? '&gt;' : '&#xD;'));
