import crypto, { type KeyPairKeyObjectResult, type RSAKeyPairKeyObjectOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

/**
 * An RSA key takes a quarter of a second, and every service that a test starts makes two. Those made for one test file are given to the
 * next one again; within a file nobody gets a key that someone else has. Loaded before anything that makes keys.
 */
const generate = promisify(crypto.generateKeyPair);
const generateSync = crypto.generateKeyPairSync;
const stock: Promise<KeyPairKeyObjectResult>[] = [];
const stockOfSync: KeyPairKeyObjectResult[] = [];
let given = 0;
let givenSync = 0;

/** What one file was given may be given anew. */
export function restockRsaKeys(): void {
  given = 0;
  givenSync = 0;
}

/** Everyday keys, as objects. */
function isUsual(type: string, options: Partial<RSAKeyPairKeyObjectOptions> = {}): boolean {
  const { modulusLength, publicExponent = 0x10001, ...more } = options;
  return type === 'rsa' && modulusLength === 2048 && publicExponent === 0x10001 && Object.keys(more).length === 0;
}

function fromStock(type: 'rsa', options: RSAKeyPairKeyObjectOptions): Promise<KeyPairKeyObjectResult> {
  if (!isUsual(type, options)) return generate(type, options);
  const at = given++;
  stock[at] ??= generate(type, options);
  return stock[at];
}

function fromStockSync(type: 'rsa', options: RSAKeyPairKeyObjectOptions): KeyPairKeyObjectResult {
  if (!isUsual(type, options)) return generateSync(type, options);
  const at = givenSync++;
  stockOfSync[at] ??= generateSync(type, options);
  return stockOfSync[at];
}

Object.assign(crypto, {
  generateKeyPair: Object.assign(
    (type: 'rsa', options: RSAKeyPairKeyObjectOptions, done: (...answer: unknown[]) => void) => {
      fromStock(type, options).then(({ publicKey, privateKey }) => done(null, publicKey, privateKey), done);
    },
    { [promisify.custom]: fromStock },
  ),
  generateKeyPairSync: fromStockSync,
});
syncBuiltinESMExports();
