import { generateKeyPair, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { restockRsaKeys } from './rsa-stock.ts';

const generate = promisify(generateKeyPair);
const spki = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).toString('base64');

test('keys of the stock are never given twice, unless it is said that they may', async () => {
  const draw = async () => [
    spki((await generate('rsa', { modulusLength: 2048 })).publicKey),
    spki((await generate('rsa', { modulusLength: 2048, publicExponent: 0x10001 })).publicKey),
    spki(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey),
  ];
  restockRsaKeys();
  const first = [...(await draw()), ...(await draw())];
  expect(new Set(first).size).toBe(6);
  restockRsaKeys();
  expect([...(await draw()), ...(await draw())]).toEqual(first);
});

test('keys of another kind are made as asked for', async () => {
  expect((await generate('rsa', { modulusLength: 1024 })).publicKey.asymmetricKeyDetails?.modulusLength).toBe(1024);
  expect(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.asymmetricKeyType).toBe('ec');
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  expect(privateKey).toContain('PRIVATE KEY');
});
