import { createHmac, createSecretKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { Unauthorized } from '@kwit/contract/refusal';
import { jwtVerify, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../platform/clock.ts';
import type { KeyRing } from '../platform/keys/key-ring.ts';
import { ACCESS_TOKEN_LIFE, contextClaims, issueToken } from './access-token.ts';
import { createVerifyBearer } from './verify-bearer.ts';

const secret = (fill: number) => ({ id: `k${fill}`, key: createSecretKey(Buffer.alloc(32, fill)) });
const START = Date.parse('2026-03-01T10:00:00.750Z');

function bench(secrets = [secret(1)]) {
  const clock = new ManualClock(START);
  const keys = { secrets: () => secrets } as unknown as KeyRing;
  const verify = createVerifyBearer({ keys, clock, issuers: new Set(['svc-api-te', 'ksef-api-te']) });
  return { clock, verify };
}

const session = {
  operation: '20250514-AU-2DFC46C000-3AC6D5877F-D4',
  context: { type: 'Nip', value: '5265877635' },
  method: 'QualifiedSeal',
  subject: {
    subjectIdentifier: { type: 'Nip', value: '5265877635' },
    commonName: 'Zażółć',
    organizationIdentifier: 'VATPL-5265877635',
  },
  grants: { permissions: ['Owner'], roles: [] },
  allowedIps: undefined,
  jti: 'one',
} as const;

const access = (key = secret(1), issuer = 'svc-api-te', over: Partial<Parameters<typeof contextClaims>[0]> = {}) =>
  issueToken(key, issuer, contextClaims({ ...session, ...over }), ACCESS_TOKEN_LIFE, START);

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('access tokens', () => {
  it('are JWTs that an independent library verifies, with list claims as JSON text', async () => {
    const issued = access();
    const { payload, protectedHeader } = await jwtVerify(issued.token, secret(1).key, {
      issuer: 'svc-api-te',
      audience: 'svc-api-te',
      algorithms: ['HS256'],
      currentDate: new Date(START),
    });
    expect(protectedHeader).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(payload).toEqual({
      typ: 'ContextToken',
      cit: 'Nip',
      civ: '5265877635',
      aum: 'QualifiedSeal',
      arn: session.operation,
      sud: JSON.stringify(session.subject),
      per: '["Owner"]',
      pec: '[]',
      rol: '[]',
      pep: '[]',
      iop: '[]',
      jti: 'one',
      iat: Math.floor(START / 1000),
      exp: Math.floor(START / 1000) + 900,
      iss: 'svc-api-te',
      aud: 'svc-api-te',
    });
    expect(issued.validUntil).toBe((payload.exp as number) * 1000);
  });

  it('come back as the caller they were issued to, with the IP policy beside', () => {
    const allowedIps = { ip4Addresses: ['10.0.0.1'], ip4Ranges: [], ip4Masks: [] };
    expect(bench().verify(access(secret(1), 'svc-api-te', { allowedIps }).token, ['ContextToken'])).toEqual({
      bearer: {
        kind: 'ContextToken',
        operation: session.operation,
        context: session.context,
        subject: { type: 'Nip', value: '5265877635' },
        method: 'QualifiedSeal',
        permissions: ['Owner'],
      },
      allowedIps,
      expiresAt: (Math.floor(START / 1000) + 900) * 1000,
    });
    expect(bench().verify(access().token, ['ContextToken']).allowedIps).toBeUndefined();
  });

  it('live to the second of their expiry', () => {
    const { clock, verify } = bench();
    const issued = access();
    clock.set(issued.validUntil - 1);
    expect(() => verify(issued.token, ['ContextToken'])).not.toThrow();
    clock.set(issued.validUntil);
    expect(() => verify(issued.token, ['ContextToken'])).toThrow(Unauthorized);
  });

  it('are good under an older key of the ring and under the other name, not under a foreign key or environment', () => {
    const { verify } = bench([secret(2), secret(1)]);
    expect(() => verify(access(secret(1)).token, ['ContextToken'])).not.toThrow();
    expect(() => verify(access(secret(1), 'ksef-api-te').token, ['ContextToken'])).not.toThrow();
    expect(() => verify(access(secret(3)).token, ['ContextToken'])).toThrow(/signature/);
    expect(() => verify(access(secret(1), 'svc-api-prd').token, ['ContextToken'])).toThrow(/environment/);
  });

  it('found good once are refused all the same when their key is withdrawn', () => {
    const secrets = [secret(2), secret(1)];
    const { verify } = bench(secrets);
    const { token } = access(secret(1));
    expect(verify(token, ['ContextToken'])).toEqual(verify(token, ['ContextToken']));
    secrets.pop();
    expect(() => verify(token, ['ContextToken'])).toThrow(/signature/);
    secrets.push(secret(1));
    expect(() => verify(token, ['ContextToken'])).not.toThrow();
  });

  it('found good once do not lend their name to another signature', () => {
    const { verify } = bench();
    const { token } = access();
    verify(token, ['ContextToken']);
    expect(() => verify(`${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`, ['ContextToken'])).toThrow(
      /signature/,
    );
    expect(() => verify(token, ['RefreshToken'])).toThrow(/kind/);
  });

  it('open only endpoints of their kind', () => {
    const { verify } = bench();
    const refresh = issueToken(secret(1), 'svc-api-te', { typ: 'RefreshToken', arn: session.operation }, 60, START);
    expect(() => verify(access().token, ['RefreshToken'])).toThrow(Unauthorized);
    expect(() => verify(refresh.token, ['ContextToken'])).toThrow(Unauthorized);
    expect(verify(refresh.token, ['ContextToken', 'RefreshToken']).bearer).toEqual({
      kind: 'RefreshToken',
      operation: session.operation,
      expiresAt: Math.floor(START / 1000) + 60,
    });
  });

  it('pass expired only as authentication tokens, whose endpoints judge for themselves', () => {
    const { clock, verify } = bench();
    const issue = (typ: 'AuthenticationToken' | 'RefreshToken') =>
      issueToken(secret(1), 'svc-api-te', { typ, arn: session.operation }, 60, START).token;
    clock.advance(61_000);
    expect(verify(issue('AuthenticationToken'), ['AuthenticationToken']).bearer.operation).toBe(session.operation);
    expect(() => verify(issue('RefreshToken'), ['RefreshToken'])).toThrow(/expired/);
  });
});

describe('forged tokens', () => {
  const payload = access().token.split('.')[1] as string;
  const hmac = (key: KeyObject | string, header: unknown, algorithm = 'sha256') => {
    const content = `${base64(header)}.${payload}`;
    return `${content}.${createHmac(algorithm, key).update(content).digest('base64url')}`;
  };
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const flip = (text: string, at: number) =>
    text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + (text.slice(at + 1) || '');

  const forgeries: Record<string, string | (() => string)> = {
    'algorithm none': `${base64({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    'algorithm none in capitals': `${base64({ alg: 'NONE' })}.${payload}.`,
    'no signature': `${access().token.split('.').slice(0, 2).join('.')}.`,
    'two parts': access().token.split('.').slice(0, 2).join('.'),
    'four parts': `${access().token}.x`,
    'HS512 with our key': hmac(secret(1).key, { alg: 'HS512', typ: 'JWT' }, 'sha512'),
    'HS256 with a key id': hmac(secret(1).key, { alg: 'HS256', typ: 'JWT', kid: '../../dev/null' }),
    'HS256 with other member order': hmac(secret(1).key, { typ: 'JWT', alg: 'HS256' }),
    'RS256 swapped in': () => {
      const content = `${base64({ alg: 'RS256', typ: 'JWT' })}.${payload}`;
      return `${content}.${sign('sha256', Buffer.from(content), rsa.privateKey).toString('base64url')}`;
    },
    'public key as HMAC key': hmac(String(rsa.publicKey.export({ type: 'spki', format: 'pem' })), {
      alg: 'HS256',
      typ: 'JWT',
    }),
    'empty key': hmac('', { alg: 'HS256', typ: 'JWT' }),
    'payload changed': () => {
      const [h, p, s] = access().token.split('.') as [string, string, string];
      return `${h}.${flip(p, 20)}.${s}`;
    },
    'signature with padding': `${access().token}=`,
    garbage: 'garbage',
    empty: '',
    'hundred kilobytes': 'a.'.repeat(50_000),
  };

  for (const [name, forged] of Object.entries(forgeries))
    it(`${name}: refused`, () => {
      expect(() => bench().verify(typeof forged === 'string' ? forged : forged(), ['ContextToken'])).toThrow(
        Unauthorized,
      );
    });

  it('every single changed character of the signature: refused', () => {
    const token = access().token;
    for (let at = token.lastIndexOf('.') + 1; at < token.length; at++)
      expect(() => bench().verify(flip(token, at), ['ContextToken'])).toThrow(Unauthorized);
  });

  it('a token of another library with our key and header but another audience: refused', async () => {
    const other = await new SignJWT({ typ: 'ContextToken' })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer('svc-api-te')
      .setAudience('somewhere')
      .setExpirationTime(START / 1000 + 60)
      .sign(secret(1).key);
    expect(() => bench().verify(other, ['ContextToken'])).toThrow(/environment/);
  });
});
