import {
  constants,
  createCipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  publicEncrypt,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AuthBench,
  authBench,
  encryptToken,
  type Login,
  nip,
  refusalOf,
  seal,
  someNip,
} from '../../test/support/auth-bench.ts';
import { rotateKey } from '../platform/keys/rotate-key.ts';
import { withdrawKey } from '../platform/keys/withdraw-key.ts';

let bench: AuthBench;
let owner: Login;
let token: { referenceNumber: string; token: string };
const x = '5265877635';

beforeAll(async () => {
  bench = await authBench();
  owner = await bench.login(seal(x), nip(x));
  token = await makeToken();
});

async function makeToken(permissions = ['InvoiceRead', 'InvoiceWrite']): Promise<typeof token> {
  const made = await bench.call('tokens.generate', {
    token: owner.access,
    body: { permissions, description: 'Token testowy' },
  });
  await bench.work();
  return made;
}

/** Submits a body over a fresh challenge and gives the state it ends in. */
async function endOf(build: (challenge: { challenge: string; timestampMs: number }) => object) {
  const challenge = await bench.call('auth.challenge');
  const body = { challenge: challenge.challenge, contextIdentifier: nip(x), ...build(challenge) };
  const init = await bench.call('auth.svcToken', { body });
  await bench.work();
  return (await bench.status(init)).status;
}
const bad = (detail: string) => ({
  code: 450,
  description: 'Uwierzytelnianie zakończone niepowodzeniem z powodu błędnego tokenu',
  details: [detail],
});
const encrypted = (text: string) => encryptToken(bench.keys, text);

describe('login by system token', () => {
  it('opens a session of the author with the permissions of the token, and notes the use', async () => {
    const login = await bench.loginWithToken(token.token, nip(x));
    expect(login.claims).toMatchObject({ aum: 'Token', cit: 'Nip', civ: x, per: '["InvoiceRead","InvoiceWrite"]' });
    expect(JSON.parse(login.claims.sud)).toEqual({ subjectIdentifier: { type: 'Nip', value: x } });
    expect(await bench.status(login.init)).toMatchObject({
      authenticationMethod: 'Token',
      authenticationMethodInfo: { category: 'Token', code: 'token.svc', displayName: 'Token Svc' },
    });
    const shown = await bench.call('tokens.status', {
      token: owner.access,
      params: { referenceNumber: token.referenceNumber },
    });
    expect(shown.lastUseDate).toBe('2026-03-02T10:00:00.123+00:00');
    expect(JSON.stringify(shown)).not.toContain(token.token.split('|')[2]);
  });

  it('carries the policy of the request into the access token', async () => {
    const { claims } = await bench.loginWithToken(token.token, nip(x), {
      authorizationPolicy: { allowedIps: { ip4Masks: ['127.0.0.0/8'], ip4Ranges: null } },
    });
    expect(JSON.parse(claims.ipp)).toEqual({
      allowedIps: { ip4Addresses: [], ip4Ranges: [], ip4Masks: ['127.0.0.0/8'] },
    });
  });

  it('needs no publicKeyId', async () => {
    const { claims } = await bench.loginWithToken(token.token, nip(x), { publicKeyId: null });
    expect(claims.aum).toBe('Token');
  });

  it('waits at 100 while the token is Pending', async () => {
    const made = await bench.call('tokens.generate', {
      token: owner.access,
      body: { permissions: ['InvoiceRead'], description: 'Zaraz użyty' },
    });
    const init = await bench.submitToken(made.token, nip(x));
    await bench.work();
    expect((await bench.status(init)).status.code).toBe(100);
    bench.clock.advance(250);
    await bench.work();
    expect((await bench.status(init)).status.code).toBe(200);
  });

  it('reduces the permissions to those the author still holds; with none left 415', async () => {
    const y = someNip();
    const subject = { type: 'Nip', value: x } as const;
    bench.registries.grant(subject, nip(y), 'InvoiceRead', 'InvoiceWrite');
    const { access } = await bench.login(seal(x), nip(y));
    const made = await bench.call('tokens.generate', {
      token: access,
      body: { permissions: ['InvoiceRead', 'InvoiceWrite'], description: 'W obcym kontekście' },
    });
    await bench.work();
    bench.registries.grant(subject, nip(y), 'InvoiceWrite', 'CredentialsRead');
    expect((await bench.loginWithToken(made.token, nip(y))).claims.per).toBe('["InvoiceWrite"]');
    bench.registries.grant(subject, nip(y), 'CredentialsRead');
    const init = await bench.submitToken(made.token, nip(y));
    await bench.work();
    expect((await bench.status(init)).status).toMatchObject({ code: 415, details: ['Brak przypisanych uprawnień'] });
  });

  it('blocked context 480, deceased author 470', async () => {
    bench.registries.blocked.add(x);
    expect(await endOf(({ timestampMs }) => encrypted(`${token.token}|${timestampMs}`))).toMatchObject({ code: 480 });
    bench.registries.blocked.delete(x);
    bench.registries.links.set(x, '88102341294');
    bench.registries.deceased.add('88102341294');
    expect(await endOf(({ timestampMs }) => encrypted(`${token.token}|${timestampMs}`))).toMatchObject({ code: 470 });
    bench.registries.links.clear();
    bench.registries.deceased.clear();
  });
});

describe('a token login that ends with 450', () => {
  it('encryption: random bytes, another length, OAEP with SHA-1, PKCS#1 v1.5, a foreign key', async () => {
    const published = bench.keys.published().find(({ purpose }) => purpose === 'TokenEncryption');
    const { publicKey } = new X509Certificate(published?.certificate as Buffer);
    const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const text = Buffer.from(`${token.token}|1`);
    const oaep = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    const ciphertexts: Record<string, Buffer> = {
      'random bytes': randomBytes(256),
      zeros: Buffer.alloc(256),
      short: randomBytes(10),
      long: randomBytes(300),
      'OAEP with SHA-1': publicEncrypt({ key: publicKey, ...oaep, oaepHash: 'sha1' }, text),
      'PKCS#1 v1.5': publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_PADDING }, text),
      'another key': publicEncrypt({ key: foreign.publicKey, ...oaep }, text),
    };
    for (const [name, bytes] of Object.entries(ciphertexts))
      expect(await endOf(() => ({ encryptedToken: bytes.toString('base64') })), name).toEqual(
        bad('Nieprawidłowe szyfrowanie tokena'),
      );
  });

  it('coding: anything that is not reference, context, secret and time', async () => {
    const [reference, context, secret] = token.token.split('|') as [string, string, string];
    for (const text of [
      'abc|123',
      '',
      `${token.token}`,
      `${token.token}|`,
      `${token.token}|1x`,
      `${reference}|${secret}|1`,
    ])
      expect(await endOf(() => encrypted(text)), text).toEqual(bad('Nieprawidłowe kodowanie tokena'));
    const notUtf8 = Buffer.concat([
      Buffer.from(`${reference}|${context}|`),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('|1'),
    ]);
    const published = bench.keys.published().find(({ purpose }) => purpose === 'TokenEncryption');
    const { publicKey } = new X509Certificate(published?.certificate as Buffer);
    const bytes = publicEncrypt(
      { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
      notUtf8,
    );
    expect(await endOf(() => ({ encryptedToken: bytes.toString('base64') }))).toEqual(
      bad('Nieprawidłowe kodowanie tokena'),
    );
  });

  it('time: off by a millisecond either way', async () => {
    for (const off of [-1, 1])
      expect(await endOf(({ timestampMs }) => encrypted(`${token.token}|${timestampMs + off}`))).toEqual(
        bad('Nieprawidłowy czas tokena'),
      );
  });

  it('token: wrong secret, unknown number, changed context part', async () => {
    const [reference, context] = token.token.split('|') as [string, string];
    const secret = token.token.split('|')[2] as string;
    const wrong = [
      `${reference}|${context}|${'0'.repeat(64)}`,
      `${reference}|${context}|${secret.toUpperCase()}x`,
      `20250514-EC-226FB7B000-3ACF9BE4C0-10|${context}|${secret}`,
      `${reference}|nip-1111111111|${secret}`,
    ];
    for (const text of wrong)
      expect(await endOf(({ timestampMs }) => encrypted(`${text}|${timestampMs}`)), text).toEqual(
        bad('Nieprawidłowy token'),
      );
  });

  it('state: revoking and revoked', async () => {
    const made = await makeToken();
    const use = () => endOf(({ timestampMs }) => encrypted(`${made.token}|${timestampMs}`));
    await bench.call('tokens.revoke', { token: owner.access, params: { referenceNumber: made.referenceNumber } });
    expect(await use()).toEqual(bad('Token unieważniony'));
    await bench.work();
    expect(await use()).toEqual(bad('Token unieważniony'));
  });

  it('context: another one than the token’s, with its value in the text', async () => {
    const end = await endOf(({ timestampMs }) => ({
      ...encrypted(`${token.token}|${timestampMs}`),
      contextIdentifier: nip('1111111111'),
    }));
    expect(end).toEqual(bad('Token nie może być użyty w kontekście 1111111111'));
  });

  it('challenge: unknown, malformed, expired, used by another submission', async () => {
    const challenge = bad('Nieprawidłowe wyzwanie autoryzacyjne');
    expect(await endOf(() => ({ challenge: '20250514-CR-226FB7B000-3ACF9BE4C0-10', ...encrypted('x') }))).toEqual(
      challenge,
    );
    expect(await endOf(() => ({ challenge: 'x'.repeat(36), ...encrypted('x') }))).toEqual(challenge);
    const late = await bench.call('auth.challenge');
    const body = {
      challenge: late.challenge,
      contextIdentifier: nip(x),
      ...encrypted(`${token.token}|${late.timestampMs}`),
    };
    bench.clock.advance(10 * 60_000 + 1);
    const tooLate = await bench.call('auth.svcToken', { body });
    await bench.work();
    expect((await bench.status(tooLate)).status).toEqual(challenge);

    const once = await bench.call('auth.challenge');
    const twice = {
      challenge: once.challenge,
      contextIdentifier: nip(x),
      ...encrypted(`${token.token}|${once.timestampMs}`),
    };
    const submissions = await Promise.all([1, 2, 3].map(() => bench.call('auth.svcToken', { body: twice })));
    await bench.work();
    const codes = await Promise.all(submissions.map(async (init) => (await bench.status(init)).status.code));
    expect(codes.sort()).toEqual([200, 450, 450]);
  });
});

describe('a token login refused at submission', () => {
  const submit = async (over: object) => {
    const { challenge } = await bench.call('auth.challenge');
    const body = { challenge, contextIdentifier: nip(x), ...encrypted('x'), ...over };
    return refusalOf(bench.call('auth.svcToken', { body }));
  };

  it('publicKeyId of another usage, unknown, or of another length', async () => {
    const other = bench.keys.published().find(({ purpose }) => purpose === 'SymmetricKeyEncryption');
    expect(await submit({ publicKeyId: other?.publicKeyId })).toBe(
      `21470: Klucz o identyfikatorze ${other?.publicKeyId} nie jest wspierany.`,
    );
    expect(await submit({ publicKeyId: `${'A'.repeat(43)}=` })).toMatch(/^21470/);
    expect(await submit({ publicKeyId: 'A'.repeat(43) })).toMatch(/^21405/);
  });

  it.each([
    ['challenge', { challenge: undefined }],
    ['challenge', { challenge: 'x'.repeat(35) }],
    ['contextIdentifier', { contextIdentifier: undefined }],
    ['contextIdentifier.type', { contextIdentifier: { type: 'Pesel', value: '88102341294' } }],
    ['contextIdentifier.value', { contextIdentifier: nip('526587763') }],
    ['encryptedToken', { encryptedToken: undefined }],
    ['encryptedToken', { encryptedToken: 'not Base64!' }],
    ['ip4Addresses', { authorizationPolicy: { allowedIps: { ip4Addresses: Array(11).fill('10.0.0.1') } } }],
    ['ip4Addresses', { authorizationPolicy: { allowedIps: { ip4Addresses: ['300.1.1.1'] } } }],
    ['ip4Ranges', { authorizationPolicy: { allowedIps: { ip4Ranges: ['10.0.0.1–10.0.0.9'] } } }],
    ['ip4Ranges', { authorizationPolicy: { allowedIps: { ip4Ranges: ['10.0.0.9-10.0.0.1'] } } }],
    ['ip4Masks', { authorizationPolicy: { allowedIps: { ip4Masks: ['10.0.0.0/33'] } } }],
  ])('21405 names %s: %j', async (field, over) => {
    expect(await submit(over)).toMatch(new RegExp(`^21405: .*${field}`));
  });
});

describe('keys that change', () => {
  it('planned rotation: both ids work; emergency: the old id is refused at once', async () => {
    const oldKey = bench.keys.published().find(({ purpose }) => purpose === 'TokenEncryption');
    const withOld = () => encrypted('x').publicKeyId;
    expect(withOld()).toBe(oldKey?.publicKeyId);
    bench.clock.advance(1_000);
    await rotateKey(bench.keyTools, { purpose: 'TokenEncryption' });
    await bench.keys.refresh();
    const newKey = bench.keys.published().find(({ purpose }) => purpose === 'TokenEncryption');
    expect(newKey?.publicKeyId).not.toBe(oldKey?.publicKeyId);
    expect((await bench.loginWithToken(token.token, nip(x))).claims.aum).toBe('Token');

    const encryptWith = (certificate: Buffer, text: string) =>
      publicEncrypt(
        {
          key: new X509Certificate(certificate).publicKey,
          padding: constants.RSA_PKCS1_OAEP_PADDING,
          oaepHash: 'sha256',
        },
        Buffer.from(text),
      ).toString('base64');
    const use = (key: typeof oldKey) => async () => {
      const { challenge, timestampMs } = await bench.call('auth.challenge');
      const encryptedToken = encryptWith(key?.certificate as Buffer, `${token.token}|${timestampMs}`);
      const body = { challenge, contextIdentifier: nip(x), encryptedToken, publicKeyId: key?.publicKeyId };
      const init = await bench.call('auth.svcToken', { body });
      await bench.work();
      return (await bench.status(init)).status.code;
    };
    expect(await use(oldKey)()).toBe(200);
    await withdrawKey(bench.keyTools, oldKey?.publicKeyId as string);
    await bench.keys.refresh();
    expect(await refusalOf(use(oldKey)())).toMatch(/^21470/);
    expect(bench.keys.published().map(({ publicKeyId }) => publicKeyId)).not.toContain(oldKey?.publicKeyId);
    expect(await use(newKey)()).toBe(200);
  });

  it('a P-256 key takes the layouts of both official clients', async () => {
    bench.clock.advance(1_000);
    await rotateKey(bench.keyTools, { purpose: 'TokenEncryption', algorithm: 'ec-p256' });
    await bench.keys.refresh();
    const key = bench.keys.published().find(({ purpose }) => purpose === 'TokenEncryption');
    const receiver = new X509Certificate(key?.certificate as Buffer).publicKey;
    expect(receiver.asymmetricKeyType).toBe('ec');
    const seal256 = (layout: 'A' | 'B', text: string) => {
      const ephemeral = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const secret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: receiver });
      const nonce = randomBytes(12);
      const cipher = createCipheriv(
        'aes-256-gcm',
        layout === 'A' ? createHash('sha256').update(secret).digest() : secret,
        nonce,
      );
      const body = Buffer.concat([cipher.update(text), cipher.final()]);
      const spki = createPublicKey(ephemeral.privateKey).export({ type: 'spki', format: 'der' });
      const rest = layout === 'A' ? [cipher.getAuthTag(), body] : [body, cipher.getAuthTag()];
      return Buffer.concat([spki, nonce, ...rest]).toString('base64');
    };
    for (const layout of ['A', 'B'] as const)
      for (const publicKeyId of [key?.publicKeyId, undefined])
        expect(
          await endOf(({ timestampMs }) => ({
            encryptedToken: seal256(layout, `${token.token}|${timestampMs}`),
            publicKeyId,
          })),
        ).toMatchObject({ code: 200 });
    const broken = Buffer.from(seal256('A', 'x'), 'base64');
    broken[broken.length - 1] = (broken[broken.length - 1] as number) ^ 1;
    expect(await endOf(() => ({ encryptedToken: broken.toString('base64') }))).toEqual(
      bad('Nieprawidłowe szyfrowanie tokena'),
    );
  });
});
