import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { continuationTokens } from './continuation-token.ts';
import { type LinkContents, signedLinks } from './link.ts';

const ringOf = (...bytes: number[]) => ({
  secrets: () => bytes.map((byte) => ({ id: `k${byte}`, key: createSecretKey(Buffer.alloc(32, byte)) })),
});
const links = signedLinks(ringOf(1));
const NOW = Date.UTC(2026, 0, 1, 12);
const LINK: LinkContents = {
  method: 'PUT',
  path: '/storage/01/20260101-sb-1/batch-parts/1.zip.enc',
  expiresAt: NOW + 3_600_000,
  claims: { hash: 'a+b/c=', size: '1000' },
};
const request = (query: string, changes: object = {}) => ({ method: 'PUT', path: LINK.path, query, ...changes });
const BAD = { ok: false, reason: 'bad-signature' };

describe('signed links', () => {
  it('verify until the second they name, with their claims', () => {
    const query = links.sign(LINK);
    expect(new URLSearchParams(query).get('se')).toBe('2026-01-01T13:00:00Z');
    const good = { ok: true, claims: LINK.claims, expiresAt: LINK.expiresAt };
    expect(links.verify(request(query), NOW)).toEqual(good);
    expect(links.verify(request(query), LINK.expiresAt - 1)).toEqual(good);
    expect(links.verify(request(query), LINK.expiresAt)).toEqual({ ok: false, reason: 'expired' });
  });

  it('never last shorter than asked', () => {
    const query = links.sign({ ...LINK, expiresAt: NOW + 1 });
    expect(links.verify(request(query), NOW)).toMatchObject({ ok: true });
  });

  it('work when a client encodes the same values differently, and when it asks HEAD for GET', () => {
    const query = links.sign({ ...LINK, method: 'GET' }).replaceAll('%3A', ':');
    expect(links.verify(request(query, { method: 'GET' }), NOW)).toMatchObject({ ok: true });
    expect(links.verify(request(query, { method: 'HEAD' }), NOW)).toMatchObject({ ok: true });
  });

  it.each([
    ['method', { method: 'GET' }],
    ['unknown method', { method: 'DELETE' }],
    ['path', { path: `${LINK.path}x` }],
  ])('are bad for another %s', (_, changes) => {
    expect(links.verify(request(links.sign(LINK), changes), NOW)).toEqual(BAD);
  });

  it('are bad with a later expiry, other claims, doubled, missing or added parameters', () => {
    const query = links.sign(LINK);
    const parameters = new URLSearchParams(query);
    const later = query.replace('2026', '2027');
    const claims = query.replace(/sc=[^&]+/, `sc=${Buffer.from('{"size":"9"}').toString('base64url')}`);
    const without = ['se', 'sp', 'sc', 'sig'].map((name) => {
      const rest = new URLSearchParams(parameters);
      rest.delete(name);
      return rest.toString();
    });
    const others = [
      later,
      claims,
      ...without,
      `${query}&se=2030`,
      `${query}&sig=${parameters.get('sig')}`,
      `${query}&x=1`,
    ];
    for (const other of ['', ...others, `${query}%3D`, 'a'.repeat(10_000)])
      expect(links.verify(request(other), NOW), other.slice(0, 200)).toEqual(BAD);
  });

  it('say that the signature is bad, not that they expired, when both hold', () => {
    const query = links.sign({ ...LINK, expiresAt: NOW - 10_000 }).replace('2026', '2025');
    expect(links.verify(request(query), NOW)).toEqual(BAD);
  });

  it('are bad after any change of a character of the signature', () => {
    const query = links.sign(LINK);
    const start = query.indexOf('sig=') + 4;
    fc.assert(
      fc.property(
        fc.integer({ min: start, max: query.length - 1 }),
        fc.constantFrom(...'AaZz09-_+.'.split('')),
        (at, c) => {
          fc.pre(query[at] !== c);
          expect(links.verify(request(query.slice(0, at) + c + query.slice(at + 1)), NOW)).toEqual(BAD);
        },
      ),
    );
  });

  it('are not interchangeable with continuation tokens of the same secret', () => {
    const token = continuationTokens(ringOf(1)).issue(1, { endpoint: 'a', context: 'b', caller: 'c' });
    const code = Buffer.from(token, 'base64url').subarray(0, 32).toString('base64url');
    expect(links.verify(request(`se=2026-01-01T13%3A00%3A00Z&sp=w&sig=${code}`), NOW)).toEqual(BAD);
  });

  it('survive a rotation of the secret while the old one is known', () => {
    const query = links.sign(LINK);
    expect(signedLinks(ringOf(2, 1)).verify(request(query), NOW)).toMatchObject({ ok: true });
    expect(signedLinks(ringOf(2)).verify(request(query), NOW)).toEqual(BAD);
  });
});
