import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { personCertificate, type TestCertificate } from '../../../client/src/test-certificates.ts';
import { signAuthTokenRequest } from '../../../client/src/xades.ts';
import { type AuthBench, authBench, nip, refusalOf, START, seal, someNip } from '../../test/support/auth-bench.ts';
import { hasOpenssl } from '../../test/support/openssl.ts';
import { type Authority, createAuthority } from '../../test/support/openssl-authority.ts';
import { withoutProfile, withTrustedProfile } from '../../test/support/resign.ts';
import { systemClock } from '../platform/clock.ts';
import { sql } from '../platform/db/sql.ts';
import { freePort } from '../platform/free-port.ts';
import { systemRandom } from '../platform/random.ts';
import { readCertificate } from '../platform/x509/certificate.ts';
import { keyUsage, makeCertificate, randomSerial, spkiOf } from '../platform/x509/make-certificate.ts';
import { writeName } from '../platform/x509/name.ts';
import { ATTRIBUTE } from '../platform/x509/oids.ts';
import type { InternalCertificate } from './seams.ts';

async function statusOf(bench: AuthBench, init: object) {
  await bench.work();
  return (await bench.status(init)).status;
}

async function document(bench: AuthBench, certificate: TestCertificate, context = nip('5265877635'), over = {}) {
  const { challenge } = await bench.call('auth.challenge');
  const request = { subjectIdentifierType: 'certificateSubject', context, challenge, ...over } as const;
  return signAuthTokenRequest(request, certificate, { signingTime: bench.clock.now() });
}

/** Jobs of logins that wait. */
async function waiting(bench: AuthBench): Promise<number> {
  const [row] = await bench.db.query<{ n: number }>(sql`select count(*) as n from job where queue = 'auth.process'`);
  return row?.n ?? 0;
}

describe('on TEST', () => {
  let bench: AuthBench;
  beforeAll(async () => {
    bench = await authBench();
  });
  afterEach(() => bench.clock.set(START));

  it('what needs nobody outside is settled before the 202: the first look sees the end, no job is left', async () => {
    const x = someNip();
    const good = await bench.submit(seal(x), nip(x));
    expect((await bench.status(good)).status.code).toBe(200);
    const stranger = await bench.submit(seal(x), nip(someNip()));
    expect((await bench.status(stranger)).status).toMatchObject({ code: 415 });
    expect(await waiting(bench)).toBe(0);
    const tested = await bench.submit(seal(x), nip(x), { verifyCertificateChain: true });
    expect((await bench.status(tested)).status.code).toBe(100);
    expect(await waiting(bench)).toBe(1);
    expect(await statusOf(bench, tested)).toMatchObject({ code: 460 });
  });

  async function internal(
    over: Partial<InternalCertificate> = {},
    validFrom = START - 1_000,
  ): Promise<TestCertificate> {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const authority = bench.keys.signingKey('CertificateAuthority');
    const issuer = readCertificate(authority.chain[0] as Buffer);
    const der = await makeCertificate(
      {
        serial: randomSerial(systemRandom),
        issuerDer: issuer.subjectDer,
        subjectDer: writeName([{ oid: ATTRIBUTE.commonName, value: 'Firma Auth' }]),
        notBefore: validFrom,
        notAfter: START + 10 * 24 * 3_600_000,
        spki: spkiOf(privateKey),
        extensions: [keyUsage('digitalSignature')],
      },
      authority.privateKey,
    );
    const { serialHex, fingerprint } = readCertificate(der);
    const row = { fingerprint, type: 'Authentication', status: 'Active', subject: nip('5265877635') } as const;
    bench.registries.certificates.set(serialHex, { ...row, ...over } as InternalCertificate);
    return { privateKey, certificate: der, fingerprint };
  }

  it('a certificate of our own logs in as the subject of its registry row, whatever the document says', async () => {
    for (const subjectIdentifierType of ['certificateSubject', 'certificateFingerprint'] as const) {
      const certificate = await internal();
      const { claims } = await bench.login(certificate, nip('5265877635'), { subjectIdentifierType });
      expect(claims).toMatchObject({ aum: 'InternalCertificate', per: '["Owner"]' });
      expect(JSON.parse(claims.sud).subjectIdentifier).toEqual({ type: 'Nip', value: '5265877635' });
      expect(bench.registries.usedCertificates.at(-1)).toBe(readCertificate(certificate.certificate).serialHex);
    }
  });

  it.each([
    ['revoked', { status: 'Revoked' }, 'Certyfikat odwołany'],
    ['blocked', { status: 'Blocked' }, 'Certyfikat zawieszony'],
    ['expired', { status: 'Expired' }, 'Nieważny certyfikat'],
    ['of type Offline', { type: 'Offline' }, 'Niepoprawny certyfikat'],
    ['a copy of issuer and serial number', { fingerprint: 'A'.repeat(64) }, 'Niepoprawny certyfikat'],
  ] as const)('a certificate of our own that is %s: 460', async (_name, over, detail) => {
    const init = await bench.submit(await internal(over), nip('5265877635'));
    expect(await statusOf(bench, init)).toMatchObject({ code: 460, details: [detail] });
  });

  it('a certificate that only claims our authority as issuer, or begins later: 460', async () => {
    const unknown = await internal();
    bench.registries.certificates.clear();
    expect(await statusOf(bench, await bench.submit(unknown, nip('5265877635')))).toMatchObject({
      code: 460,
      details: ['Niepoprawny certyfikat'],
    });
    const future = await internal({}, START + 60_000);
    expect(await statusOf(bench, await bench.submit(future, nip('5265877635')))).toMatchObject({
      code: 460,
      details: ['Nieważny certyfikat'],
    });
  });

  it('a trusted profile logs in as the person in the signed properties', async () => {
    const x = someNip();
    bench.registries.grant({ type: 'Pesel', value: '88102341294' }, nip(x), 'InvoiceRead');
    const operator = seal('1234563218');
    const raw = withTrustedProfile(await document(bench, operator, nip(x)), operator.privateKey, '88102341294');
    const init = await bench.call('auth.xadesSignature', { raw });
    expect(await statusOf(bench, init)).toMatchObject({ code: 200 });
    expect(await bench.status(init)).toMatchObject({
      authenticationMethod: 'TrustedProfile',
      authenticationMethodInfo: { code: 'xades.trusted-profile', displayName: 'Profil Zaufany' },
    });
    const without = withTrustedProfile(await document(bench, operator, nip(x)), operator.privateKey, undefined);
    expect(await refusalOf(bench.call('auth.xadesSignature', { raw: without }))).toMatch(/^21406: .*PESEL/);
    const byFingerprint = withTrustedProfile(
      await document(bench, operator, nip(x), { subjectIdentifierType: 'certificateFingerprint' }),
      operator.privateKey,
      '88102341294',
    );
    expect(await refusalOf(bench.call('auth.xadesSignature', { raw: byFingerprint }))).toMatch(/^21406/);
  });

  it('a signature without profile is refused', async () => {
    const certificate = seal('5265877635');
    const raw = withoutProfile(await document(bench, certificate), certificate.privateKey);
    expect(await refusalOf(bench.call('auth.xadesSignature', { raw }))).toMatch(/^9105: Format podpisu niezgodny/);
  });

  it('a failing registry: tried again, in the end 500; one that recovers: 200', async () => {
    const x = someNip();
    const { standingOf } = bench.registries;
    const flaky = (times: number) => {
      let left = times;
      bench.registries.standingOf = async (...args) => {
        if (left-- > 0) throw new Error('the registry is away');
        return standingOf(...args);
      };
    };
    flaky(3);
    const recovers = await bench.submit(seal(x), nip(x));
    for (let i = 0; i < 3; i++) {
      expect((await bench.status(recovers)).status.code).toBe(100);
      await bench.work();
      bench.clock.advance(30_000);
    }
    expect((await bench.status(recovers)).status.code).toBe(200);
    flaky(1_000);
    const never = await bench.submit(seal(x), nip(x));
    for (let i = 0; i < 8; i++) {
      await bench.work();
      bench.clock.advance(30_000);
    }
    expect((await bench.status(never)).status).toEqual({ code: 500, description: 'Nieznany błąd' });
    bench.registries.standingOf = standingOf;
  });

  it('an operation left at 100 until its token is dead: 550', async () => {
    const x = someNip();
    const init = await bench.submitUnsettled(seal(x), nip(x));
    bench.clock.advance(45 * 60_000);
    await bench.work();
    const [row] = await bench.db.query(
      sql`select status, status_details from auth_operation where reference = ${init.referenceNumber}`,
    );
    expect(row).toEqual({
      status: 550,
      status_details: ['Przetwarzanie zostało przerwane z przyczyn wewnętrznych systemu. Spróbuj ponownie'],
    });
  });

  it('processing twice changes nothing, and a revoked session stays revoked', async () => {
    const x = someNip();
    const owner = await bench.login(seal(x), nip(x));
    const process = bench.auth.queues.find(({ name }) => name === 'auth.process');
    const init = await bench.submitUnsettled(seal(x), nip(x));
    const [job] = await bench.db.query<{ payload: unknown }>(sql`select payload from job where queue = 'auth.process'`);
    const again = () =>
      process?.handle(
        [{ id: '1', queue: 'auth.process', payload: job?.payload, attempt: 2 }] as never,
        new AbortController().signal,
      );
    await bench.work();
    bench.registries.blocked.add(x);
    expect(await again()).toEqual([{ done: true }]);
    expect((await bench.status(init)).status.code).toBe(200);
    await bench.call('auth.sessions.revoke', {
      token: owner.access,
      params: { referenceNumber: init.referenceNumber },
    });
    expect(await again()).toEqual([{ done: true }]);
    expect((await bench.status(init)).status.code).toBe(425);
  });

  it('one bad operation of a batch does not take the others along', async () => {
    const good = [];
    for (const x of [someNip(), someNip(), someNip()]) good.push(await bench.submitUnsettled(seal(x), nip(x)));
    const { standingOf } = bench.registries;
    const bad = someNip();
    bench.registries.standingOf = async (subject, context, ...rest) => {
      if (context.value === bad) throw new Error('only for this one');
      return standingOf(subject, context, ...rest);
    };
    const failing = await bench.submit(seal(bad), nip(bad));
    await bench.work();
    const codes = await Promise.all([...good, failing].map(async (init) => (await bench.status(init)).status.code));
    expect(codes).toEqual([200, 200, 200, 100]);
    bench.registries.standingOf = standingOf;
  });
});

describe('in lenient configuration', () => {
  it('takes a signature without profile with a warning, unless the feature asks for compliance', async () => {
    const bench = await authBench({ settings: { xadesMode: 'lenient' } });
    const certificate = seal('5265877635');
    const raw = withoutProfile(await document(bench, certificate), certificate.privateKey);
    const strict = bench.call('auth.xadesSignature', { raw, features: ['enforce-xades-compliance'] });
    expect(await refusalOf(strict)).toMatch(/^9105: Format podpisu niezgodny/);
    const init = await bench.call('auth.xadesSignature', { raw });
    expect(bench.warnings).toEqual(['[sig-001]: Format podpisu niezgodny z akceptowanymi profilami XAdES']);
    expect(await statusOf(bench, init)).toMatchObject({ code: 200 });
  });
});

describe('on PRD', () => {
  it('self-signed certificates and unknown operators of trusted profiles are refused at submission: 21115', async () => {
    const bench = await authBench({ settings: { environment: 'PRD' } });
    const x = someNip();
    expect(await refusalOf(bench.submit(seal(x), nip(x)))).toMatch(/^21115: .*samopodpisany/);
    const person = personCertificate({ givenName: 'A', surname: 'B', pesel: '88102341294' }, { validFrom: START - 1 });
    expect(await refusalOf(bench.submit(person, nip(x)))).toMatch(/^21115/);
  });

  describe.skipIf(!hasOpenssl)('with a real openssl authority and responder', () => {
    // Ahead of the machine's clock by which openssl dates its certificates, or they would not be valid yet.
    const now = systemClock.now() + 120_000;
    let authority: Authority;
    let bench: AuthBench;
    let port: number;
    beforeAll(async () => {
      authority = createAuthority();
      port = await freePort();
      const settings = { environment: 'PRD', trustAnchors: [authority.root] } as const;
      bench = await authBench({ settings, start: now });
    });
    afterAll(() => authority?.remove());

    function issue(name: string, addresses: { ocsp?: string; crl?: string }): TestCertificate {
      const { der, fingerprint } = authority.issue(name, addresses);
      const privateKey = createPrivateKey(authority.folder.read(`${name}.key`));
      return { privateKey, certificate: der, fingerprint };
    }

    it('waits at 100 while the issuer is silent, asks every 5 s, and goes on when it answers', async () => {
      const good = issue('op-good', { ocsp: `http://127.0.0.1:${port}` });
      const revoked = issue('op-revoked', { ocsp: `http://127.0.0.1:${port}` });
      const held = issue('op-held', { ocsp: `http://127.0.0.1:${port}` });
      authority.revoke('op-revoked');
      authority.revoke('op-held', 'certificateHold');
      const inits = [];
      for (const certificate of [good, revoked, held]) inits.push(await bench.submit(certificate, nip('5265877635')));
      await bench.work();
      for (const init of inits) expect((await bench.status(init)).status.code).toBe(100);
      const responder = await authority.respond(port);
      bench.clock.advance(4_999);
      await bench.work();
      expect((await bench.status(inits[0])).status.code).toBe(100);
      bench.clock.advance(1);
      await bench.work();
      await responder.stop();
      const ends = await Promise.all(inits.map(async (init) => (await bench.status(init)).status));
      expect(ends).toMatchObject([
        { code: 200 },
        { code: 460, details: ['Certyfikat odwołany'] },
        { code: 460, details: ['Certyfikat zawieszony'] },
      ]);
    });

    it('a trusted profile under a seal that is no operator’s: 21115', async () => {
      const certificate = issue('op-operator', { ocsp: `http://127.0.0.1:${port}` });
      const raw = withTrustedProfile(await document(bench, certificate), certificate.privateKey, '88102341294');
      expect(await refusalOf(bench.call('auth.xadesSignature', { raw }))).toMatch(/^21115: .*operatora/);
    });

    it('takes the revocation list where there is no responder', async () => {
      const server = createServer((_request, response) => response.end(authority.list())).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const crl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
      const good = issue('op-list-good', { crl });
      const revoked = issue('op-list-revoked', { crl });
      authority.revoke('op-list-revoked');
      expect(await statusOf(bench, await bench.submit(good, nip('5265877635')))).toMatchObject({ code: 200 });
      expect(await statusOf(bench, await bench.submit(revoked, nip('5265877635')))).toMatchObject({
        code: 460,
        details: ['Certyfikat odwołany'],
      });
      server.close();
    });

    it('gives up with 550 after 45 minutes of silence', async () => {
      const init = await bench.submit(issue('op-silent', { ocsp: `http://127.0.0.1:${port}` }), nip('5265877635'));
      await bench.work();
      expect((await bench.status(init)).status.code).toBe(100);
      bench.clock.advance(45 * 60_000 - 7_000);
      await bench.work();
      expect((await bench.status(init)).status.code).toBe(100);
      bench.clock.advance(5_000);
      await bench.work();
      expect((await bench.status(init)).status).toEqual({
        code: 550,
        description: 'Operacja została anulowana przez system',
        details: ['Przetwarzanie zostało przerwane z przyczyn wewnętrznych systemu. Spróbuj ponownie'],
      });
    });

    it('an issuer that is not among the anchors: 460, asking nobody', async () => {
      const stranger = createAuthority('Obcy urząd');
      const { der, fingerprint } = stranger.issue('foreign', { ocsp: `http://127.0.0.1:${port}` });
      const privateKey = createPrivateKey(stranger.folder.read('foreign.key'));
      const certificate = { privateKey, certificate: der, fingerprint };
      expect(await statusOf(bench, await bench.submit(certificate, nip('5265877635')))).toMatchObject({
        code: 460,
        details: ['Błąd weryfikacji łańcucha certyfikatów'],
      });
      stranger.remove();
    });
  });
});
