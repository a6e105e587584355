import { hash, type KeyObject, X509Certificate } from 'node:crypto';
import { createMemory } from '../../platform/memory.ts';
import { DIGESTS } from '../../platform/xml/algorithms.ts';
import { readBase64 } from '../../platform/xml/base64.ts';
import type { XmlElement } from '../../platform/xml/engine.ts';
import { SignatureFailure } from '../../platform/xml/signature-failure.ts';
import { DSIG, type SignatureModel } from '../../platform/xml/signature-model.ts';
import { childrenNamed, path, plainText } from '../../platform/xml/walk.ts';
import { type CertDigest, readSignedProperties, XADES } from './signed-properties.ts';

const MAX_CERTIFICATES = 20;
/** In each thread; a key takes about two kilobytes. */
const KEPT_KEYS = 500;

export interface SigningCertificate {
  der: Buffer;
  key: KeyObject;
  others: readonly Buffer[];
}

/** The certificate cannot be read (21115). */
export class UnreadableCertificate extends Error {}

/**
 * Certificates of `ds:KeyInfo`; the signer's is the one that `CertDigest` names, else the first. This only chooses whose
 * key must fit: that the choice is signed too is judged after the signature has been verified.
 */
export function signingCertificate(model: SignatureModel): SigningCertificate {
  const all = certificatesOf(model.keyInfo);
  if (all.length === 0) {
    throw new SignatureFailure('value', 'ds:KeyInfo holds no X509Certificate, so there is no key to verify with');
  }
  const digests = namedCertificates(model);
  const named = digests.flatMap((digest) => all.filter((der) => matches(digest, der)))[0];
  const der = named ?? (all[0] as Buffer);
  return { der, key: publicKeyOf(der), others: all.filter((other) => other !== der) };
}

export function matches({ method, value }: CertDigest, der: Uint8Array): boolean {
  const digest = DIGESTS.get(method);
  return digest !== undefined && hash(digest.hash, der, 'buffer').equals(value);
}

function certificatesOf(keyInfo: XmlElement | undefined): Buffer[] {
  if (keyInfo === undefined) return [];
  const elements = childrenNamed(keyInfo, DSIG, 'X509Data').flatMap((d) => childrenNamed(d, DSIG, 'X509Certificate'));
  if (elements.length > MAX_CERTIFICATES) {
    throw new SignatureFailure(
      'structure',
      `ds:KeyInfo holds ${elements.length} certificates, at most ${MAX_CERTIFICATES} are allowed`,
    );
  }
  return elements.map((element) => {
    const text = plainText(element);
    if (text === undefined) {
      throw new SignatureFailure(
        'structure',
        `ds:X509Certificate (line ${element.line}) holds a comment or an element, expected text only`,
      );
    }
    const der = readBase64(text);
    if (der === undefined || der[0] !== 0x30) {
      throw new UnreadableCertificate(`ds:X509Certificate (line ${element.line}) is not a DER certificate in Base64`);
    }
    return der;
  });
}

/** Keys of certificates that logged in before, by their digest: the same companies come again and again. */
const keys = createMemory<KeyObject>(KEPT_KEYS);

function publicKeyOf(der: Buffer): KeyObject {
  return keys.recall(hash('sha256', der, 'base64'), () => readPublicKey(der));
}

function readPublicKey(der: Buffer): KeyObject {
  try {
    const certificate = new X509Certificate(der);
    if (!certificate.raw.equals(der)) throw new Error('bytes follow the certificate');
    return certificate.publicKey;
  } catch (error) {
    throw new UnreadableCertificate(`the signing certificate cannot be read: ${(error as Error).message}`);
  }
}

function namedCertificates(model: SignatureModel): readonly CertDigest[] {
  for (const object of model.objects) {
    const properties = path(object, XADES, 'QualifyingProperties', 'SignedProperties');
    if (properties) return readSignedProperties(properties).certDigests ?? [];
  }
  return [];
}
