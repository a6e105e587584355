import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  authEndpoints,
  authenticateWithToken,
  type generateToken,
  IP4_ADDRESS_PATTERN,
  IP4_MASK_PATTERN,
  IP4_RANGE_PATTERN,
  listTokens,
} from './auth-endpoints.ts';
import type { Input, Output } from './endpoint.ts';
import { isErrorCode } from './errors.ts';
import { createReader } from './read.ts';

/** Rows of the interface: method, path, success, credential, rate group, codes. */
const ROWS = [
  ['POST', '/auth/challenge', 200, 'none', 'public', []],
  [
    'POST',
    '/auth/xades-signature',
    202,
    'none',
    'public',
    [9101, 9102, 9103, 9105, 21001, 21111, 21115, 21117, 21217, 21401, 21405, 21406],
  ],
  ['POST', '/auth/svc-token', 202, 'none', 'public', [21405, 21470]],
  ['GET', '/auth/:referenceNumber', 200, 'authentication', 'public', [21304, 21405]],
  ['POST', '/auth/token/redeem', 200, 'authentication', 'public', [21301, 21304, 21308]],
  ['POST', '/auth/token/refresh', 200, 'refresh', 'public', [21301, 21304, 21308]],
  ['GET', '/auth/sessions', 200, 'access', 'other', [21405, 21418]],
  ['DELETE', '/auth/sessions/current', 204, 'accessOrRefresh', 'other', []],
  ['DELETE', '/auth/sessions/:referenceNumber', 204, 'access', 'other', [21304, 21405]],
  ['GET', '/security/public-key-certificates', 200, 'none', 'public', []],
  ['POST', '/tokens', 202, 'access', 'other', [21405, 26001, 26002]],
  ['GET', '/tokens', 200, 'access', 'other', [21405, 21418]],
  ['GET', '/tokens/:referenceNumber', 200, 'access', 'other', [21405]],
  ['DELETE', '/tokens/:referenceNumber', 204, 'access', 'other', [21405]],
] as const;

describe('endpoints of authentication', () => {
  it('are the fourteen of the interface', () => {
    expect(authEndpoints.map((e) => [e.method, e.path, e.status, e.credential, e.rateGroup, [...e.codes]])).toEqual(
      ROWS.map((row) => [...row.slice(0, 5), [...row[5]]]),
    );
  });

  it('have distinct ids and codes of the catalogue', () => {
    expect(new Set(authEndpoints.map((e) => e.id)).size).toBe(authEndpoints.length);
    for (const endpoint of authEndpoints) for (const code of endpoint.codes) expect(isErrorCode(code)).toBe(true);
  });

  it('answer JSON exactly when they answer something', () => {
    for (const endpoint of authEndpoints) expect('answer' in endpoint).toBe(endpoint.status !== 204);
  });

  it('close token making to token logins', () => {
    expect(authEndpoints.filter((e) => e.signatureLoginOnly).map((e) => e.id)).toEqual(['tokens.generate']);
  });
});

describe('input of POST /auth/svc-token', () => {
  const read = createReader(authenticateWithToken.body);
  const right = {
    challenge: '20250514-CR-226FB7B000-3ACF9BE4C0-10',
    contextIdentifier: { type: 'Nip', value: '5265877635' },
    encryptedToken: 'AAAA',
  };

  it.each([
    ['minimal', right],
    ['with nulls', { ...right, publicKeyId: null, authorizationPolicy: null }],
    ['lower case type', { ...right, contextIdentifier: { type: 'nip', value: '5265877635' } }],
    [
      'with a policy',
      { ...right, authorizationPolicy: { allowedIps: { ip4Addresses: ['10.0.0.1'], ip4Ranges: [], ip4Masks: null } } },
    ],
  ])('accepts %s', (_, body) => {
    expect(read(body).failures).toEqual([]);
  });

  it.each([
    ['short challenge', { ...right, challenge: 'x' }],
    ['no challenge', { ...right, challenge: undefined }],
    ['unknown type', { ...right, contextIdentifier: { type: 'Pesel', value: '88102341294' } }],
    ['empty token', { ...right, encryptedToken: '' }],
    ['no Base64', { ...right, encryptedToken: 'a-b_' }],
    ['short key id', { ...right, publicKeyId: 'AAAA' }],
    [
      'eleven addresses',
      { ...right, authorizationPolicy: { allowedIps: { ip4Addresses: Array(11).fill('10.0.0.1') } } },
    ],
    ['en dash', { ...right, authorizationPolicy: { allowedIps: { ip4Ranges: ['10.0.0.1–10.0.0.2'] } } }],
  ])('refuses %s', (_, body) => {
    expect(read(body).failures).toHaveLength(1);
  });
});

describe('IPv4 patterns', () => {
  it.each([
    [IP4_ADDRESS_PATTERN, '255.0.10.199', true],
    [IP4_ADDRESS_PATTERN, '256.0.0.1', false],
    [IP4_ADDRESS_PATTERN, '01.0.0.1', false],
    [IP4_ADDRESS_PATTERN, '1.2.3', false],
    [IP4_RANGE_PATTERN, '10.0.0.1-10.0.0.9', true],
    [IP4_RANGE_PATTERN, '10.0.0.1 - 10.0.0.9', false],
    [IP4_MASK_PATTERN, '10.0.0.0/0', true],
    [IP4_MASK_PATTERN, '10.0.0.0/32', true],
    [IP4_MASK_PATTERN, '10.0.0.0/33', false],
    [IP4_MASK_PATTERN, '10.0.0.0/08', false],
  ])('%s on %s: %s', (pattern, text, fits) => {
    expect(new RegExp(pattern).test(text)).toBe(fits);
  });
});

describe('input of the token list', () => {
  const read = createReader(listTokens.query, 'text');

  it.each([
    [{}, 0],
    [{ status: 'active', pageSize: '100' }, 0],
    [{ status: ['Active', 'Pending'], description: '' }, 0],
    [{ description: 'abc' }, 0],
    [{ description: 'ab' }, 1],
    [{ pageSize: '9' }, 1],
    [{ pageSize: '101' }, 1],
    [{ status: 'Gone' }, 1],
  ])('%j has %i faults', (query, faults) => {
    expect(read(query).failures).toHaveLength(faults);
  });
});

it('keeps the types of schemas', () => {
  expectTypeOf<Input<typeof generateToken, 'body'>['permissions'][number]>().toEqualTypeOf<
    | 'InvoiceRead'
    | 'InvoiceWrite'
    | 'CredentialsRead'
    | 'CredentialsManage'
    | 'SubunitManage'
    | 'EnforcementOperations'
    | 'Introspection'
  >();
  expectTypeOf<Output<typeof generateToken>>().toEqualTypeOf<{ referenceNumber: string; token: string }>();
});
