import { detail, refuse } from '@kwit/contract/refusal';
import {
  type CertificationRequest,
  isSelfSigned,
  RequestUnreadable,
  readCertificationRequest,
} from '../platform/x509/certification-request.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes of Base64 text; line breaks and spaces inside are ignored. Undefined: no Base64. */
export function decodeRequest(csr: string): Buffer | undefined {
  const text = csr.replace(/[\r\n ]/g, '');
  return text !== '' && BASE64.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Structure, key, algorithm and proof of possession, in this order; each has its own code. */
export function checkRequest(der: Buffer): CertificationRequest {
  const request = read(der);
  if (!isAllowedKey(request))
    throw refuse(
      25010,
      detail('Klucz w CSR: {found}. Dozwolone: RSA 2048 bitów (rsaEncryption) lub EC na krzywej P-256.', {
        found: describeKey(request),
      }),
    );
  if (!request.signatureAlgorithm || request.signatureAlgorithm.kind === 'eddsa')
    throw refuse(
      25011,
      detail('Dozwolone: RSA PKCS#1 v1.5, RSASSA-PSS lub ECDSA ze skrótem SHA-1, SHA-256, SHA-384 lub SHA-512.'),
    );
  if (!isSelfSigned(request))
    throw refuse(25004, detail('Podpis CSR nie zgadza się z zawartym w nim kluczem publicznym.'));
  return request;
}

function read(der: Buffer): CertificationRequest {
  try {
    return readCertificationRequest(der);
  } catch (error) {
    if (error instanceof RequestUnreadable)
      throw refuse(25004, detail('Oczekiwano PKCS#10 w DER: {why}.', { why: error.message }));
    throw error;
  }
}

const RSA_BITS = 2048;

function isAllowedKey({ key }: CertificationRequest): boolean {
  if (key?.kind.type === 'ec') return key.kind.curve === 'prime256v1';
  if (key?.kind.type !== 'rsa' || key.kind.bits !== RSA_BITS) return false;
  // With the exponent 1 anyone signs in the owner's name; an even one cannot sign at all.
  const exponent = key.publicKey.asymmetricKeyDetails?.publicExponent ?? 0n;
  return exponent > 1n && exponent % 2n === 1n;
}

function describeKey({ key }: CertificationRequest): string {
  if (!key) return 'nieobsługiwany rodzaj lub krzywa bez nazwy';
  const { kind } = key;
  return kind.type === 'ec' ? `EC ${kind.curve}` : `${kind.type.toUpperCase()} ${kind.bits} bitów`;
}
