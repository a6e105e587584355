import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import {
  type CertificateLink,
  certificateLink,
  certificateLinkText,
  invoiceLink,
  parseCertificateLink,
  parseInvoiceLink,
  signedTextCandidates,
} from './qr-links.ts';
import { signLinkText, verifyLinkText } from './qr-signature.ts';

const HASH = 'ae32hFzMSwnensKJYbDzYV13CmMLu3HhZdUr65V80Z0';
const hash = Buffer.from(HASH, 'base64url');

describe('Base64url', () => {
  it('has one writing for every value', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect([...fromBase64Url(toBase64Url(bytes))!]).toEqual([...bytes]);
      }),
    );
  });

  it('refuses every other last character of a hash', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const accepted = [...alphabet].filter((last) => fromBase64Url(HASH.slice(0, -1) + last) !== undefined);
    expect(accepted.join('')).toBe('AEIMQUYcgkosw048');
  });

  it.each(['a+b', 'a/b', 'a b', 'A', 'AA=A', 'AA===', 'AA\n', 'ą'])('refuses %j', (text) => {
    expect(fromBase64Url(text)).toBeUndefined();
  });

  it('tolerates padding', () => {
    expect(fromBase64Url(`${HASH}=`)).toEqual(hash);
  });
});

describe('code I', () => {
  const link = { sellerNip: '1111111111', issueDate: '2026-02-01', hash };

  it('is written day first', () => {
    expect(invoiceLink('https://qr.svc.test/', link)).toBe(`https://qr.svc.test/invoice/1111111111/01-02-2026/${HASH}`);
  });

  it.each([
    `/invoice/1111111111/01-02-2026/${HASH}`,
    `/invoice/1111111111/01-02-2026/${HASH}/`,
    `/invoice/1111111111/01-02-2026/${HASH}=`,
    `/invoice/1111111111/01-02-2026/${HASH}%3D`,
    `/pages/invoice/1111111111/01-02-2026/${HASH}?lang=pl`,
  ])('is read from %s', (path) => {
    expect(parseInvoiceLink(path)).toEqual(link);
  });

  it.each([
    '/invoice',
    `/invoice/1111111111/01-02-2026`,
    `/invoice/1111111111/2026-02-01/${HASH}`,
    `/invoice/1111111111/30-02-2026/${HASH}`,
    `/invoice/1000000000/01-02-2026/${HASH}`,
    `/invoice/1111111111/01-02-2026/${HASH.slice(1)}`,
    `/invoice/1111111111/01-02-2026/${HASH.slice(0, -1)}1`,
    `/invoice/1111111111/01-02-2026/%E0%A4%A`,
    `/invoice/1111111111/01-02-2026/${HASH}/more`,
  ])('is not read from %s', (path) => {
    expect(parseInvoiceLink(path)).toBeUndefined();
  });
});

describe('code II', () => {
  const link: CertificateLink = {
    contextType: 'Nip',
    contextValue: '1111111111',
    sellerNip: '1111111111',
    certificateSerialNumber: '01A2B3C4D5E6F708',
    hash,
  };
  const TEXT = `qr.svc.test/certificate/Nip/1111111111/1111111111/01A2B3C4D5E6F708/${HASH}`;

  /** Keys and signatures made outside this project. */
  const publicKey = (base64: string) =>
    createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
  const EC_KEY = publicKey(
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE53Nzj6MVjzd3I/QprEwIkiBIfBMvllcV8dnX8SixnKbtSOoVVuQEbl9KJNv+7CntD/SMNw1eAxHYfB4zAZEIrA==',
  );
  const RSA_KEY = publicKey(
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwlRcF2t4ugP+fI0ddgwvL06Jn4QT1ZAIuO+6GAncebIyAHIwTQCZe3EjejEgsRiXHGZ8gzy3C/VqzhlrqvBjHjoUnxOKrrgtGtzfo2T3V82LvTVaRl6Ksvrl3TVDutumK6z7IgXIgRkvJje9SmrUOJmicakiP9/8axrVBw9xgy1EsSZ0K/rwctHPfaRb4qPLpmziC9XyHk96pG/MnV1HJWukIDhGkcs6KxrfhA8p2GzpcLTttK1F2vjqg6dI+doH7UFeUe70GDb4ECDFBEv99UQtSzNKAqYLvayO3WyOV0YfMPOO9QNf9U5y0IqI8P9muj3C7QVrfNFRe+rlC17J5QIDAQAB',
  );
  const VECTORS: [string, KeyObject, string][] = [
    ['P1363', EC_KEY, 'rtu-HI4q0QZno_Y_T9JCu1fNP88CJ2gJOav9YKtwfVRmx5cQg4vAIlIsnCPJAKG4v7OQLpWWJdJ8Nkd19hr7Tw'],
    ['DER', EC_KEY, 'MEUCIA_pRO50lKewsq8F_QfIZFcJbefCu-Hsjca7JPRXjKSgAiEAj27rnOdTFWWaVV9JtWHOd4UPtSQ97egt9Rg3ssfZ5Ec'],
    [
      'PSS',
      RSA_KEY,
      'TxipQAdlSZJfHrvuQQ7JYwxCe5pCXFnqUJ4NEK__Wgj7W6eteEjIJrYK2cUzWyhHFfvSy3MR3ij607si2AwJES8WLZgj9N-_eg3p8cptktlU6wG3HbZa5kNyRboFLR7gZ_0bQYlK3Q2eibGyxhZq4ZXMOwDDyhMfv7xho62kMzCy1A_PhfXTXJzQgjQsJ_RqIEGXIKwDOC2MlqJqmXqr2ADkqO7cuDWHnyRJ_2ztOtELovGj-LZAbpZLm8ND5RmxYSir9WCtNZEIr50ny4nRJ9dNIZh2LmuPSpc0FrdLql-f1EwFiX9z4HyNvb3HZtdv8NJ3P9xwcduqvFZVnIDbxQ',
    ],
  ];

  it.each(VECTORS)('verifies the %s signature made elsewhere', (_, key, signature) => {
    expect(certificateLinkText('https://qr.svc.test', link)).toBe(TEXT);
    const parsed = parseCertificateLink(`/certificate/Nip/1111111111/1111111111/01A2B3C4D5E6F708/${HASH}/${signature}`);
    expect(parsed?.signature && verifyLinkText(key, TEXT, parsed.signature)).toBe(true);
    expect(parsed?.signature && verifyLinkText(key, `${TEXT}/`, parsed.signature)).toBe(false);
    expect(parsed?.signature && verifyLinkText(key, `https://${TEXT}`, parsed.signature)).toBe(false);
  });

  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  it('is built, read and verified', () => {
    const url = certificateLink('https://qr.svc.test', link, (text) => signLinkText(p256.privateKey, text));
    expect(url.startsWith(`https://${TEXT}/`)).toBe(true);
    const parsed = parseCertificateLink(new URL(url).pathname)!;
    expect(parsed).toMatchObject({ ...link, hash });
    const texts = signedTextCandidates(parsed, ['https://other.test', 'qr.svc.test']);
    expect(texts).toContain(TEXT);
    expect(texts.filter((text) => verifyLinkText(p256.publicKey, text, parsed.signature!))).toEqual([TEXT]);
  });

  it('also knows texts signed with http in front, and escaped values', () => {
    const parsed = parseCertificateLink(`/certificate/NipVatUe/1111111111-IE1%2B12345B/1111111111/0/${HASH}=/AAAA`)!;
    expect(parsed.contextValue).toBe('1111111111-IE1+12345B');
    expect(signedTextCandidates(parsed, ['qr.test'])).toEqual([
      `qr.test/certificate/NipVatUe/1111111111-IE1%2B12345B/1111111111/0/${HASH}`,
      `http://qr.test/certificate/NipVatUe/1111111111-IE1%2B12345B/1111111111/0/${HASH}`,
      `qr.test/certificate/NipVatUe/1111111111-IE1+12345B/1111111111/0/${HASH}`,
      `http://qr.test/certificate/NipVatUe/1111111111-IE1+12345B/1111111111/0/${HASH}`,
    ]);
  });

  it('refuses a signature over a ready digest, and weak or foreign keys', () => {
    const digest = createHash('sha256').update(TEXT).digest();
    const signed = sign(null, digest, { key: p256.privateKey, dsaEncoding: 'ieee-p1363' });
    const honest = signLinkText(p256.privateKey, Buffer.from(TEXT));
    expect(verifyLinkText(p256.publicKey, TEXT, honest)).toBe(true);
    expect(verifyLinkText(p256.publicKey, TEXT, signed)).toBe(false);
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    expect(() => signLinkText(p384.privateKey, Buffer.from(TEXT))).toThrow(RangeError);
    expect(verifyLinkText(p384.publicKey, TEXT, sign('sha256', Buffer.from(TEXT), p384.privateKey))).toBe(false);
  });

  it.each([
    `/certificate/Nip/1111111111/1111111111/01A2B3C4D5E6F708/${HASH}`,
    `/certificate/Nip/1111111111/1111111111/01A2B3C4D5E6F708/${HASH}/AA/AA`,
    `/certificate/nip/1111111111/1111111111/01A2B3C4D5E6F708/${HASH}/AAAA`,
    `/certificate/Pesel/1111111111/1111111111/01A2B3C4D5E6F708/${HASH}/AAAA`,
    `/certificate/Nip//1111111111/01A2B3C4D5E6F708/${HASH}/AAAA`,
    '/certificate/',
    '/other',
  ])('is malformed in %s', (path) => {
    expect(parseCertificateLink(path)).toBeUndefined();
  });

  it('keeps a bad hash or signature as a failed part', () => {
    const parsed = parseCertificateLink('/certificate/Nip/1111111111/1111111111/01A2B3C4D5E6F708/AA/a+b');
    expect(parsed).toMatchObject({ hash: undefined, signature: undefined });
  });
});
