import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasOpenssl } from '../../../test/support/openssl.ts';
import { type Authority, createAuthority } from '../../../test/support/openssl-authority.ts';
import { systemClock } from '../../platform/clock.ts';
import { freePort } from '../../platform/free-port.ts';
import { systemRandom } from '../../platform/random.ts';
import type { Certificate } from '../../platform/x509/certificate.ts';
import { createCheckTrust } from './check-trust.ts';
import { createFetch, type Fetch } from './fetch-bounded.ts';
import { createKeptLists } from './kept-lists.ts';

const HOUR = 3_600_000;

describe.skipIf(!hasOpenssl)('trust in a certificate, judged by a real openssl authority', () => {
  let authority: Authority;
  let port: number;
  const running: { stop(): Promise<void> }[] = [];

  beforeAll(async () => {
    authority = createAuthority();
    port = await freePort();
  });
  afterEach(async () => {
    for (const process of running.splice(0)) await process.stop();
  });
  afterAll(() => authority?.remove());

  const ocsp = () => `http://127.0.0.1:${port}`;
  const check = (certificate: Certificate, options: { at?: number; anchors?: Certificate[]; fetch?: Fetch } = {}) =>
    createCheckTrust(options.anchors ?? [authority.root], {
      fetch: options.fetch ?? createFetch(3_000),
      random: systemRandom,
    })(certificate, [], options.at ?? systemClock.now());

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    running.push({
      stop: async () => {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      },
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const respond = async (signer?: 'appointed' | 'authority' | 'stranger') => {
    running.push(await authority.respond(port, signer));
  };

  it('OCSP: good, revoked and on hold, answered by an appointed responder', async () => {
    const good = authority.issue('good', { ocsp: ocsp() });
    const revoked = authority.issue('revoked', { ocsp: ocsp() });
    const held = authority.issue('held', { ocsp: ocsp() });
    authority.revoke('revoked', 'keyCompromise');
    authority.revoke('held', 'certificateHold');
    await respond();
    expect(await check(good)).toEqual({ trusted: true });
    expect(await check(revoked)).toMatchObject({ trusted: false, detail: 'Certyfikat odwołany' });
    expect(await check(held)).toMatchObject({ trusted: false, detail: 'Certyfikat zawieszony' });
  });

  it('OCSP: an answer signed by the authority itself counts, one of a stranger does not', async () => {
    const certificate = authority.issue('signers', { ocsp: ocsp() });
    await respond('authority');
    expect(await check(certificate)).toEqual({ trusted: true });
    await running.pop()?.stop();
    await respond('stranger');
    expect(await check(certificate)).toMatchObject({ trusted: 'unknown', why: expect.stringMatching(/entitled key/) });
  });

  it('OCSP: an answer out of date or to another question proves nothing', async () => {
    const certificate = authority.issue('stale', { ocsp: ocsp() });
    const sibling = authority.issue('sibling', { ocsp: ocsp() });
    await respond();
    const real = createFetch(3_000);
    let recorded: Buffer | undefined;
    const recording: Fetch = async (url, body) => {
      recorded = await real(url, body);
      return recorded;
    };
    const now = systemClock.now();
    expect(await check(certificate, { fetch: recording })).toEqual({ trusted: true });
    const replay: Fetch = async () => recorded as Buffer;
    expect(await check(certificate, { fetch: replay })).toMatchObject({
      trusted: 'unknown',
      why: expect.stringMatching(/another question/),
    });
    expect(await check(certificate, { at: now + 26 * HOUR })).toMatchObject({
      trusted: 'unknown',
      why: expect.stringMatching(/out of date/),
    });
    // The answer of the sibling, taken for this certificate's question.
    const swapping = createCheckTrust([authority.root], {
      fetch: recording,
      random: { ...systemRandom, bytes: (n) => Buffer.alloc(n, 7) },
    });
    expect(await swapping(sibling, [], now)).toEqual({ trusted: true });
    const swapped = createCheckTrust([authority.root], {
      fetch: replay,
      random: { ...systemRandom, bytes: (n) => Buffer.alloc(n, 7) },
    });
    expect(await swapped(certificate, [], now)).toMatchObject({
      trusted: 'unknown',
      why: expect.stringMatching(/does not speak of this certificate/),
    });
  });

  it('OCSP: no changed byte of an answer makes a revoked certificate good', async () => {
    const revoked = authority.issue('mutated', { ocsp: ocsp() });
    authority.revoke('mutated');
    await respond();
    const random = { ...systemRandom, bytes: (n: number) => Buffer.alloc(n, 3) };
    let recorded = Buffer.alloc(0);
    const real = createFetch(3_000);
    const first = createCheckTrust([authority.root], {
      fetch: async (url, body) => {
        recorded = (await real(url, body)) as Buffer<ArrayBuffer>;
        return recorded;
      },
      random,
    });
    const now = systemClock.now();
    expect(await first(revoked, [], now)).toMatchObject({ trusted: false });
    for (let at = 0; at < recorded.length; at += 3) {
      const changed = Buffer.from(recorded);
      changed[at] = (changed[at] as number) ^ 0x01;
      const verdict = await createCheckTrust([authority.root], { fetch: async () => changed, random })(
        revoked,
        [],
        now,
      );
      expect(verdict.trusted, `byte ${at}`).not.toBe(true);
    }
  });

  it('revocation list: good, revoked and on hold; also when the responder is silent', async () => {
    let list = Buffer.alloc(0);
    const address = await serve((_request, response) => response.end(list));
    const silent = `http://127.0.0.1:${await freePort()}`;
    const good = authority.issue('crl-good', { ocsp: silent, crl: `${address}/list.crl` });
    const revoked = authority.issue('crl-revoked', { crl: `${address}/list.crl` });
    const held = authority.issue('crl-held', { crl: `${address}/list.crl` });
    authority.revoke('crl-revoked');
    authority.revoke('crl-held', 'certificateHold');
    list = authority.list() as Buffer<ArrayBuffer>;
    expect(await check(good)).toEqual({ trusted: true });
    expect(await check(revoked)).toMatchObject({ trusted: false, detail: 'Certyfikat odwołany' });
    expect(await check(held)).toMatchObject({ trusted: false, detail: 'Certyfikat zawieszony' });
    expect(await check(good, { at: systemClock.now() + 50 * HOUR })).toMatchObject({ trusted: 'unknown' });
    list[list.length - 5] = (list[list.length - 5] as number) ^ 1;
    expect(await check(revoked)).toMatchObject({ trusted: 'unknown', why: expect.stringMatching(/not signed/) });
  });

  it('revocation list: fetched once for all who come at once or soon after, and again after five minutes', async () => {
    let fetched = 0;
    let list = authority.list();
    const address = await serve((_request, response) => {
      fetched += 1;
      response.end(list);
    });
    const certificates = ['kept-a', 'kept-b', 'kept-c'].map((name) =>
      authority.issue(name, { crl: `${address}/list.crl` }),
    );
    const trust = createCheckTrust([authority.root], { fetch: createFetch(3_000), random: systemRandom });
    const now = systemClock.now();
    const ask = (at: number) => Promise.all(certificates.map((certificate) => trust(certificate, [], at)));
    const good = certificates.map(() => ({ trusted: true }));
    expect(await ask(now)).toEqual(good);
    expect(await ask(now + 299_999)).toEqual(good);
    expect(fetched).toBe(1);
    authority.revoke('kept-b');
    list = authority.list();
    expect(await ask(now + 300_000)).toMatchObject([{ trusted: true }, { trusted: false }, { trusted: true }]);
    expect(fetched).toBe(2);
    // A clock that was set back does not keep it longer.
    await ask(now - 1);
    expect(fetched).toBe(3);
  });

  it('revocation list: one that fails or proves nothing is not kept', async () => {
    let answer: { status: number; list: Buffer } = { status: 503, list: Buffer.alloc(0) };
    const address = await serve((_request, response) => response.writeHead(answer.status).end(answer.list));
    const certificate = authority.issue('not-kept', { crl: `${address}/list.crl` });
    const trust = createCheckTrust([authority.root], { fetch: createFetch(3_000), random: systemRandom });
    const now = systemClock.now();
    expect(await trust(certificate, [], now)).toMatchObject({ trusted: 'unknown', why: expect.stringMatching(/503/) });
    answer = { status: 200, list: Buffer.from('no list') };
    expect(await trust(certificate, [], now)).toMatchObject({ trusted: 'unknown' });
    answer = { status: 200, list: authority.list() };
    // Days later the list is out of date, and asking for it again does not help.
    expect(await trust(certificate, [], now + 50 * HOUR)).toMatchObject({
      trusted: 'unknown',
      why: expect.stringMatching(/out of date/),
    });
    expect(await trust(certificate, [], now)).toEqual({ trusted: true });
  });

  it('revocation list: lists together stay below a bound, the oldest goes first', async () => {
    const fetched: string[] = [];
    const list = authority.list();
    const fetch: Fetch = async (url) => {
      fetched.push(url);
      return list;
    };
    const lists = createKeptLists(fetch, list.length * 2);
    const asked = { certificate: authority.issue('bounded', { ocsp: ocsp() }), issuer: authority.root };
    const now = systemClock.now();
    for (const url of ['a', 'b', 'a', 'c', 'b', 'c', 'a']) expect(await lists.statusOf(url, asked, now)).toBe('good');
    expect(fetched).toEqual(['a', 'b', 'c', 'a']);
  });

  it('revocation list of another authority of the same name proves nothing', async () => {
    const other = createAuthority();
    try {
      const address = await serve((_request, response) => response.end(other.list()));
      const certificate = authority.issue('foreign-list', { crl: `${address}/list.crl` });
      expect(await check(certificate)).toMatchObject({ trusted: 'unknown', why: expect.stringMatching(/not signed/) });
    } finally {
      other.remove();
    }
  });

  it('an untrusted root, a forged chain and a certificate without status addresses end at once, asking nobody', async () => {
    const never: Fetch = async (url) => expect.fail(`asked ${url}`);
    const stranger = createAuthority();
    try {
      const certificate = authority.issue('plain', { ocsp: ocsp() });
      expect(await check(stranger.root, { fetch: never })).toMatchObject({
        trusted: false,
        detail: 'Niezaufany łańcuch certyfikatów',
      });
      expect(await check(certificate, { anchors: [], fetch: never })).toMatchObject({
        trusted: false,
        detail: 'Błąd weryfikacji łańcucha certyfikatów',
      });
      // Same names, another key: the signature is not the anchor's.
      expect(await check(certificate, { anchors: [stranger.root], fetch: never })).toMatchObject({
        trusted: false,
        detail: 'Błąd weryfikacji łańcucha certyfikatów',
      });
      expect(await check(authority.issue('mute', {}), { fetch: never })).toMatchObject({
        trusted: false,
        why: expect.stringMatching(/neither/),
      });
    } finally {
      stranger.remove();
    }
  });
});

describe('asking an address', () => {
  const servers: ReturnType<typeof createServer>[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });
  async function address(listener: RequestListener): Promise<string> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  it('follows no redirect and takes only 200', async () => {
    const target = await address((_request, response) => response.end('secret'));
    const redirect = await address((_request, response) => response.writeHead(302, { location: target }).end());
    await expect(createFetch()(redirect)).rejects.toThrow(/answered 302/);
  });

  it('stops at its size bound and at its time bound', async () => {
    const endless = await address((_request, response) => {
      const more = () => response.write(Buffer.alloc(65_536), () => !response.destroyed && more());
      more();
    });
    await expect(createFetch(5_000, 200_000)(endless)).rejects.toThrow(/more than 200000 bytes/);
    const silent = await address(() => undefined);
    await expect(createFetch(50)(silent)).rejects.toThrow();
  });

  it('asks http only', async () => {
    for (const url of ['file:///etc/passwd', 'https://127.0.0.1/', 'ftp://127.0.0.1/', 'ldap://127.0.0.1/'])
      await expect(createFetch()(url)).rejects.toThrow(/only http/);
  });
});
