import {
  constants,
  createCipheriv,
  createHash,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasOpenssl, opensslFolder } from '../../../test/support/openssl.ts';
import { decrypt, Undecryptable } from './decrypt.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const candidates = (...keys: { privateKey: KeyObject }[]) => keys.map(({ privateKey }) => ({ privateKey }));
const TEXT = Buffer.from(`20251010-EC-1DCE3E3000-12ECB5B36E-45|nip-5265877635|${'ab'.repeat(32)}|1752236636015`);

const oaep = (key: KeyObject, text = TEXT, oaepHash = 'sha256') =>
  publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, text);

/** What the two client libraries send, written from the table. */
function ecMessage(layout: 'A' | 'B', recipient: KeyObject, text = TEXT): Buffer {
  const ephemeral = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient });
  const key = layout === 'A' ? createHash('sha256').update(secret).digest() : secret;
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  const tag = cipher.getAuthTag();
  const spki = ephemeral.publicKey.export({ format: 'der', type: 'spki' });
  return Buffer.concat([spki, nonce, ...(layout === 'A' ? [tag, body] : [body, tag])]);
}

/** Where the point begins in a key of P-256. */
const SPKI_POINT = 26;

function changedAt(message: Buffer, index: number, change: (byte: number) => number): Buffer {
  const changed = Buffer.from(message);
  changed[index] = change(changed[index] as number);
  return changed;
}

describe('decryption', () => {
  it('reads OAEP with SHA-256, with the candidate that fits', async () => {
    expect(await decrypt(candidates(rsa), oaep(rsa.publicKey))).toEqual(TEXT);
    expect(await decrypt(candidates(otherRsa, ec, rsa), oaep(rsa.publicKey))).toEqual(TEXT);
  });

  it.each(['A', 'B'] as const)('reads the EC layout %s', async (layout) => {
    expect(await decrypt(candidates(rsa, ec), ecMessage(layout, ec.publicKey))).toEqual(TEXT);
    expect(await decrypt(candidates(ec), ecMessage(layout, ec.publicKey, Buffer.alloc(0)))).toHaveLength(0);
  });

  it.runIf(hasOpenssl)('reads what openssl encrypted (skipped without openssl)', async () => {
    const folder = opensslFolder();
    folder.write('key.pem', rsa.publicKey.export({ format: 'pem', type: 'spki' }));
    folder.write('text', TEXT);
    const padding = ['rsa_padding_mode:oaep', 'rsa_oaep_md:sha256', 'rsa_mgf1_md:sha256'];
    const options = padding.flatMap((option) => ['-pkeyopt', option]);
    folder.run('pkeyutl', '-encrypt', '-pubin', '-inkey', 'key.pem', ...options, '-in', 'text', '-out', 'sealed');
    expect(await decrypt(candidates(rsa), folder.read('sealed'))).toEqual(TEXT);
    folder.remove();
  });

  const small = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  it.each<[string, () => Buffer]>([
    ['nothing', () => Buffer.alloc(0)],
    ['another RSA key', () => oaep(otherRsa.publicKey)],
    ['OAEP with SHA-1', () => oaep(rsa.publicKey, TEXT, 'sha1')],
    ['PKCS #1 v1.5', () => publicEncrypt({ key: rsa.publicKey, padding: constants.RSA_PKCS1_PADDING }, TEXT)],
    ['a ciphertext not smaller than the modulus', () => Buffer.alloc(256, 0xff)],
    ['zeros', () => Buffer.alloc(256)],
    ['a short ciphertext', () => oaep(rsa.publicKey).subarray(1)],
    ['a long ciphertext', () => Buffer.concat([oaep(rsa.publicKey), Buffer.alloc(1)])],
    [
      'an EC message for another key',
      () => ecMessage('A', generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey),
    ],
    [
      'an EC key of another curve',
      () => {
        const spki = small.publicKey.export({ format: 'der', type: 'spki' });
        return Buffer.concat([spki, Buffer.alloc(60)]);
      },
    ],
    [
      'an EC key with unused bits in its point',
      () => changedAt(ecMessage('A', ec.publicKey), SPKI_POINT - 1, (count) => count + 1),
    ],
    [
      'an EC key with its point in the hybrid form',
      () => {
        const message = ecMessage('A', ec.publicKey);
        const isOdd = (message[SPKI_POINT + 64] as number) & 1;
        return changedAt(message, SPKI_POINT, () => 6 + isOdd);
      },
    ],
    ['an EC message cut before its tag', () => ecMessage('A', ec.publicKey).subarray(0, 118)],
    ['a heap of bytes', () => Buffer.alloc(1_000_000, 0x30)],
  ])('answers the same to %s', async (_, message) => {
    await expect(decrypt(candidates(rsa, ec), message())).rejects.toEqual(new Undecryptable());
  });

  it('answers the same without any key', async () => {
    await expect(decrypt([], oaep(rsa.publicKey))).rejects.toEqual(new Undecryptable());
  });

  it('gives no text for a message changed anywhere', async () => {
    const messages = [oaep(rsa.publicKey), ecMessage('A', ec.publicKey), ecMessage('B', ec.publicKey)];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...messages),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (message, at, change) => {
          const changed = Buffer.from(message);
          const index = at % changed.length;
          changed[index] = (changed[index] as number) ^ change;
          await expect(decrypt(candidates(rsa, ec), changed)).rejects.toBeInstanceOf(Undecryptable);
        },
      ),
      { numRuns: 150 },
    );
  });
});
