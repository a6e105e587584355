import { createSecretKey } from 'node:crypto';
import { Refusal } from '@kwit/contract/refusal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { continuationTokens, type PageBinding } from './continuation-token.ts';

const secret = (byte: number) => ({ id: `k${byte}`, key: createSecretKey(Buffer.alloc(32, byte)) });
const ringOf = (...bytes: number[]) => ({ secrets: () => bytes.map(secret) });
const tokens = continuationTokens(ringOf(1));

const BINDING: PageBinding = {
  endpoint: 'sessions.list',
  context: 'Nip:5265877635',
  caller: 'Nip:5265877635',
  filters: { statuses: ['InProgress'], sessionType: 'Online' },
};
const POSITION = ['2026-01-02T03:04:05.678Z', '20260102-SO-1234567890-ABCDEF0123-45', 'Łódź'];

function refusalOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error.problems;
    throw error;
  }
  return 'no refusal';
}
const BAD = [
  { code: 21418, details: [{ template: '{0}', values: { 0: "'continuationToken' is not in the correct format." } }] },
];

describe('continuation tokens', () => {
  it('give their position back to the same reader, however the filters were written', () => {
    const token = tokens.issue(POSITION, BINDING);
    expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(tokens.read(token, { ...BINDING, filters: { sessionType: 'Online', statuses: ['InProgress'] } })).toEqual(
      POSITION,
    );
  });

  it('mean the first page when absent or empty', () => {
    expect(tokens.read(undefined, BINDING)).toBeUndefined();
    expect(tokens.read('', BINDING)).toBeUndefined();
  });

  it.each<[string, Partial<PageBinding>]>([
    ['endpoint', { endpoint: 'tokens.list' }],
    ['context', { context: 'Nip:1111111111' }],
    ['caller', { caller: 'Pesel:88102341294' }],
    ['filters', { filters: { sessionType: 'Batch' } }],
    ['session', { session: '20260102-SO-1234567890-ABCDEF0123-45' }],
  ])('are refused with 21418 for another %s', (_, other) => {
    const token = tokens.issue(POSITION, BINDING);
    expect(refusalOf(() => tokens.read(token, { ...BINDING, ...other }))).toEqual(BAD);
  });

  it('do not mix neighbouring parts of the binding', () => {
    const token = tokens.issue(POSITION, { ...BINDING, context: 'a', caller: 'b,c' });
    expect(refusalOf(() => tokens.read(token, { ...BINDING, context: 'a,b', caller: 'c' }))).toEqual(BAD);
  });

  it('are refused after any change of a character, and whatever else is sent', () => {
    const token = tokens.issue(POSITION, BINDING);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. \0ż'.split('');
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...alphabet), (at, character) => {
        fc.pre(token[at] !== character);
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        expect(refusalOf(() => tokens.read(changed, BINDING))).toEqual(BAD);
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), (garbage) => {
        expect(refusalOf(() => tokens.read(garbage, BINDING))).toEqual(BAD);
      }),
    );
    for (const other of [
      `${token}=`,
      `${token}A`,
      token.slice(0, -1),
      ` ${token}`,
      'A'.repeat(100_000),
      'A'.repeat(43),
    ])
      expect(refusalOf(() => tokens.read(other, BINDING))).toEqual(BAD);
  });

  it('survive a rotation of the secret while the old one is known, and not longer', () => {
    const token = tokens.issue(POSITION, BINDING);
    expect(continuationTokens(ringOf(2, 1)).read(token, BINDING)).toEqual(POSITION);
    expect(refusalOf(() => continuationTokens(ringOf(2)).read(token, BINDING))).toEqual(BAD);
  });
});
