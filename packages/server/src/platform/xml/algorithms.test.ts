import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeValue, type SignatureMethod, verifyValue } from './algorithms.ts';

/** Enough that r or s begins with a zero byte several times, and with a byte above 127 half of the time. */
const TIMES = 600;

describe('signature values of elliptic curves', () => {
  it.each([
    'prime256v1',
    'secp521r1',
    'brainpoolP512r1',
  ])('%s: r and s of any beginning fit, anything changed does not', (curve) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: curve });
    const method: SignatureMethod = { family: 'ecdsa', hash: 'sha256' };
    const times = curve === 'prime256v1' ? TIMES : TIMES / 10;
    for (let i = 0; i < times; i += 1) {
      const data = Buffer.from(`document ${i}`);
      const value = makeValue(data, privateKey, method);
      expect(verifyValue(data, value, publicKey, method)).toBe(true);
      if (i % 20 > 0) continue;
      const changed = Buffer.from(value);
      changed[i % value.length] = (changed[i % value.length] as number) ^ 1;
      expect(verifyValue(data, changed, publicKey, method)).toBe(false);
    }
    const width = makeValue(Buffer.alloc(1), privateKey, method).length;
    for (const zeros of [Buffer.alloc(width), Buffer.alloc(0), Buffer.alloc(width, 0xff)])
      expect(verifyValue(Buffer.alloc(1), zeros, publicKey, method)).toBe(false);
  });

  it('a key of another kind verifies nothing', () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const data = Buffer.from('document');
    const value = makeValue(data, rsa.privateKey, { family: 'rsa-pkcs1', hash: 'sha256' });
    expect(verifyValue(data, value, rsa.publicKey, { family: 'rsa-pkcs1', hash: 'sha256' })).toBe(true);
    expect(verifyValue(data, value, ec.publicKey, { family: 'rsa-pkcs1', hash: 'sha256' })).toBe(false);
    expect(verifyValue(data, value, rsa.publicKey, { family: 'ecdsa', hash: 'sha256' })).toBe(false);
  });
});
