import { X509Certificate } from 'node:crypto';
import { systemEnvironment } from '@kwit/client';
import { encryptForKey } from '@kwit/client/encrypt-for-key';
import { peppolCertificate, personCertificate } from '@kwit/client/test-certificates';
import * as auth from '@kwit/contract/auth-endpoints';
import * as endpoints from '@kwit/contract/certificate-endpoints';
import { changeSubjectLimits } from '@kwit/contract/limit-endpoints';
import { createPerson } from '@kwit/contract/testdata-endpoints';
import { describe, expect, it } from 'vitest';
import { type Actor, logIn } from '../../test/support/actors.ts';
import { certificatesOf, issue, refused } from '../../test/support/certificates-over-http.ts';
import { startTestService } from '../../test/support/service.ts';
import { readCertificate } from '../platform/x509/certificate.ts';

const service = await startTestService();
const { clock } = service;
const validFrom = clock.now() - 3_600_000;
let last = 2_000_000;
function company(): Promise<Actor> {
  last += 1;
  return logIn(service, `526${last}`);
}

const REFERENCE = '20261116-EH-0000000000-0000000000-00';
const EVERY = [
  [endpoints.getCertificateLimits, {}],
  [endpoints.getEnrollmentData, {}],
  [endpoints.enrollCertificate, { body: { certificateName: 'Abcde', certificateType: 'Offline', csr: 'AAAA' } }],
  [endpoints.getEnrollment, { params: { referenceNumber: REFERENCE } }],
  [endpoints.retrieveCertificates, { body: { certificateSerialNumbers: ['0000000000000000'] } }],
  [endpoints.queryCertificates, {}],
  [endpoints.revokeCertificate, { params: { certificateSerialNumber: '0000000000000000' } }],
] as const;

async function tokenLogin(owner: Actor, nip: string): Promise<Actor> {
  const { transport, token } = owner;
  const body = { permissions: ['InvoiceRead' as const], description: 'Tylko do odczytu' };
  const made = await transport.call(auth.generateToken, { token, body });
  await service.drain();
  const challenge = await transport.call(auth.createChallenge, {});
  const published = await transport.call(auth.listPublicKeyCertificates, {});
  const key = published.find((p) => p.usage.includes('SvcTokenEncryption'));
  const text = Buffer.from(`${made.token}|${challenge.timestampMs}`);
  const init = await transport.call(auth.authenticateWithToken, {
    body: {
      challenge: challenge.challenge,
      contextIdentifier: { type: 'Nip', value: nip },
      encryptedToken: encryptForKey(
        new X509Certificate(Buffer.from(key?.certificate ?? '', 'base64')).publicKey,
        text,
        systemEnvironment,
      ).toString('base64'),
    },
  });
  await service.drain();
  const tokens = await transport.call(auth.redeemTokens, { token: init.authenticationToken.token });
  return { transport, token: tokens.accessToken.token, refreshToken: tokens.refreshToken.token };
}

describe('who may call', () => {
  it('nobody without a token', async () => {
    const { transport } = await company();
    for (const [endpoint, input] of EVERY) expect(await refused(transport.call(endpoint, input as never))).toBe('401');
  });

  it('no login by system token, at any of the seven', async () => {
    const nip = '5262000000';
    const actor = await tokenLogin(await logIn(service, nip), nip);
    for (const [endpoint, input] of EVERY) {
      const call = actor.transport.call(endpoint, { ...input, token: actor.token } as never);
      await expect(call).rejects.toMatchObject({
        status: 403,
        reasonCode: 'auth-method-not-allowed',
        security: { authenticationMethodCategory: 'Token' },
      });
    }
  });

  it('a Peppol provider, who owns nothing and can ask for nothing', async () => {
    const peppolId = 'PPL123456';
    const certificate = peppolCertificate({ name: 'Dostawca', peppolId }, { validFrom });
    const provider = certificatesOf(
      await logIn(service, peppolId, { certificate, context: { type: 'PeppolId', value: peppolId } }),
    );
    expect(await refused(provider.data())).toMatch(/^25001: .*PeppolSignature/);
    expect(
      await refused(provider.enroll({ certificateName: 'Abcde', certificateType: 'Offline', csr: 'AAAA' })),
    ).toMatch(/^25002: /);
    expect(await provider.limits()).toEqual({
      canRequest: false,
      enrollment: { limit: 0, remaining: 0 },
      certificate: { limit: 0, remaining: 0 },
    });
    expect((await provider.list().page()).certificates).toEqual([]);
  });

  it('the same person from any context', async () => {
    const actor = await company();
    expect(await certificatesOf(actor).limits()).toEqual({
      canRequest: true,
      enrollment: { limit: 300, remaining: 300 },
      certificate: { limit: 100, remaining: 100 },
    });
  });
});

describe('limits changed by test data', () => {
  const change = (actor: Actor, body: object) =>
    actor.transport.call(changeSubjectLimits, { token: actor.token, body: body as never });

  it('of certificates: 25007 as published clients compare it, until a revocation frees a place', async () => {
    const pesel = '92070255529';
    const nip = '5262088888';
    const person = personCertificate(
      { givenName: 'Ewa', surname: 'Nowak', pesel },
      { validFrom: clock.now() - 3_600_000 },
    );
    const { transport } = await company();
    await transport.call(createPerson, { body: { nip, pesel, isBailiff: false, description: 'Osoba próbna' } });
    const actor = await logIn(service, nip, { certificate: person });
    const certificates = certificatesOf(actor);
    expect(await certificates.limits()).toMatchObject({ enrollment: { limit: 12 }, certificate: { limit: 6 } });
    await change(actor, { subjectIdentifierType: 'Pesel', certificate: { maxCertificates: 1 } });
    const { serialNumber } = await issue(service, actor);
    expect(await certificates.limits()).toMatchObject({ canRequest: false, certificate: { limit: 1, remaining: 0 } });
    expect(await refused(issue(service, actor))).toBe(
      '25007: Osiągnięto limit dopuszczalnej liczby posiadanych certyfikatów.',
    );
    await certificates.revoke(serialNumber);
    expect(await certificates.limits()).toMatchObject({ canRequest: true, certificate: { remaining: 1 } });
    await issue(service, actor);
  });

  it('of requests: 25006', async () => {
    const actor = await company();
    await change(actor, { enrollment: { maxEnrollments: 1 } });
    await issue(service, actor);
    expect(await refused(issue(service, actor))).toMatch(/^25006: Osiągnięto limit możliwych .* - Limit: 1 /);
    expect(await certificatesOf(actor).limits()).toMatchObject({
      canRequest: false,
      enrollment: { limit: 1, remaining: 0 },
    });
  });
});

describe('download', () => {
  it('gives own certificates in the order asked for, each once, and leaves out all others', async () => {
    const [mine, other] = [await company(), await company()];
    const [first, second] = [
      await issue(service, mine),
      await issue(service, mine, { type: 'Offline', name: 'Drugi' }),
    ];
    const foreign = await issue(service, other);
    const { retrieve } = certificatesOf(mine);
    const wanted = [second, foreign, first, second].map(({ serialNumber }) => serialNumber);
    const found = await retrieve([...wanted, 'abc', '']);
    expect(found.map(({ serialNumber }) => serialNumber)).toEqual([second.serialNumber, first.serialNumber]);
    expect(found[0]).toMatchObject({ name: 'Drugi', type: 'Offline' });
    expect(await retrieve(['abc'])).toEqual([]);
    expect(await refused(retrieve([]))).toMatch(/^21405/);
    expect(await refused(retrieve(Array.from({ length: 11 }, () => first.serialNumber)))).toMatch(/^21405/);
  });
});

describe('the list', () => {
  it('is newest first, in pages, with every filter', async () => {
    const actor = await company();
    const certificates = certificatesOf(actor);
    const serials: string[] = [];
    for (let n = 0; n < 21; n += 1) {
      const type = n % 2 === 0 ? 'Authentication' : 'Offline';
      serials.unshift((await issue(service, actor, { type, name: `Numer ${n} Ółć` })).serialNumber);
      clock.advance(1_000);
    }
    const page = (query: object, body: object = {}) =>
      actor.transport.call(endpoints.queryCertificates, { token: actor.token, query, body } as never) as Promise<{
        certificates: { certificateSerialNumber: string; name: string; status: string; type: string }[];
        hasMore: boolean;
      }>;
    const first = await actor.transport.call(endpoints.queryCertificates, { token: actor.token });
    expect(first.certificates.map((c) => c.certificateSerialNumber)).toEqual(serials.slice(0, 10));
    expect(first.hasMore).toBe(true);
    expect(first.certificates[0]).toEqual({
      certificateSerialNumber: serials[0],
      name: 'Numer 20 Ółć',
      type: 'Authentication',
      commonName: expect.stringMatching(/^Firma 526/),
      status: 'Active',
      subjectIdentifier: { type: 'Nip', value: expect.stringMatching(/^526/) },
      validFrom: '2026-11-16T11:00:20.000+00:00',
      validTo: '2028-11-16T11:00:20.000+00:00',
      requestDate: '2026-11-16T11:00:20.000+00:00',
    });
    const third = await page({ pageOffset: 2 });
    expect(third.certificates.map((c) => c.certificateSerialNumber)).toEqual([serials[20]]);
    expect(third.hasMore).toBe(false);
    expect(await page({ pageSize: 20, pageOffset: 1 })).toMatchObject({ hasMore: false });
    expect(await page({ pageSize: 10, pageOffset: 1 })).toMatchObject({ hasMore: true });
    expect((await page({ pageOffset: 100 })).certificates).toEqual([]);

    await certificates.revoke(serials[3] as string);
    const found = async (body: object) => (await page({ pageSize: 50 }, body)).certificates.map((c) => c.name);
    expect(await found({ status: 'revoked' })).toEqual(['Numer 17 Ółć']);
    expect(await found({ status: 'Active' })).toHaveLength(20);
    expect(await found({ status: 'Blocked' })).toEqual([]);
    expect(await found({ type: 'Offline' })).toHaveLength(10);
    expect(await found({ name: 'NUMER 1' })).toHaveLength(11);
    expect(await found({ name: 'óŁć' })).toHaveLength(21);
    expect(await found({ name: '%' })).toEqual([]);
    expect(await found({ certificateSerialNumber: serials[7] })).toEqual(['Numer 13 Ółć']);
    expect(await found({ certificateSerialNumber: 'abc' })).toEqual([]);
    expect(await found({ expiresAfter: '2028-11-16T11:00:19Z' })).toEqual(['Numer 20 Ółć']);
    expect(await found({ type: 'Offline', status: 'Revoked', name: null })).toEqual(['Numer 17 Ółć']);

    for (const query of [{ pageSize: 9 }, { pageSize: 51 }, { pageOffset: -1 }, { pageSize: 'x' }])
      expect(await refused(page(query))).toMatch(/^21405/);
    for (const body of [{ status: 'Gone' }, { type: 1 }, { expiresAfter: 'soon' }])
      expect(await refused(page({}, body))).toMatch(/^21405/);
  });

  it('is empty for others, and shared by the two identifiers of one person', async () => {
    const [nip, pesel] = ['5262099999', '88102341294'];
    const byNip = await logIn(service, nip);
    await byNip.transport.call(createPerson, { body: { nip, pesel, isBailiff: false, description: 'Osoba próbna' } });
    const { serialNumber } = await issue(service, byNip);
    const person = personCertificate({ givenName: 'Jan', surname: 'Nowak', pesel }, { validFrom });
    const byPesel = certificatesOf(await logIn(service, nip, { certificate: person }));
    expect((await byPesel.list().toArray()).map((c) => c.certificateSerialNumber)).toEqual([serialNumber]);
    expect(await byPesel.retrieve([serialNumber])).toHaveLength(1);
    // Limits count the identifier of the login alone.
    expect((await byPesel.limits()).certificate).toEqual({ limit: 6, remaining: 6 });
    await byPesel.revoke(serialNumber, 'KeyCompromise');
    expect((await certificatesOf(byNip).list().toArray())[0]?.status).toBe('Revoked');
    expect(
      await certificatesOf(await company())
        .list()
        .toArray(),
    ).toEqual([]);
  });
});

describe('revocation', () => {
  it('answers 204 without a body, and works once', async () => {
    const actor = await company();
    const { serialNumber } = await issue(service, actor);
    const post = (serial: string, init: RequestInit = {}) =>
      service.request('POST', `/v2/certificates/${serial}/revoke`, {
        ...init,
        headers: { authorization: `Bearer ${actor.token}`, 'content-type': 'application/json' },
      });
    const answer = await post(serialNumber);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await refused(certificatesOf(actor).revoke(serialNumber))).toBe(
      `25009: Nie można odwołać wskazanego certyfikatu, ponieważ jest już odwołany, zablokowany lub nieważny. - Stan certyfikatu ${serialNumber}: Revoked.`,
    );
    const second = await issue(service, actor);
    expect((await post(second.serialNumber, { body: '{"revocationReason":"Foo"}' })).status).toBe(400);
    expect((await post(second.serialNumber, { body: '{"revocationReason":null}' })).status).toBe(204);
  });

  it('at the same moment works once', async () => {
    const actor = await company();
    const { serialNumber } = await issue(service, actor);
    const { revoke } = certificatesOf(actor);
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => revoke(serialNumber, 'Superseded')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('refuses certificates of others, unknown and ended ones; takes one that has not begun', async () => {
    const actor = await company();
    const certificates = certificatesOf(actor);
    const foreign = await issue(service, await company());
    for (const serial of [foreign.serialNumber, '0123456789ABCDEF', 'abc', 'x'.repeat(200)])
      expect(await refused(certificates.revoke(serial))).toMatch(/^25008: Certyfikat o podanym numerze/);
    const later = await issue(service, actor, { validFrom: new Date(clock.now() + 86_400_000).toISOString() });
    expect((await certificates.list().toArray())[0]?.status).toBe('Active');
    await certificates.revoke(later.serialNumber);

    const ending = await issue(service, actor, {
      validFrom: new Date(clock.now() - 730 * 86_400_000 + 60_000).toISOString(),
    });
    clock.advance(60_000);
    expect((await certificates.list({ status: 'Active' }).toArray()).length).toBe(1);
    clock.advance(1);
    expect((await certificates.list({ status: 'Expired' }).toArray())[0]?.certificateSerialNumber).toBe(
      ending.serialNumber,
    );
    expect(await refused(certificates.revoke(ending.serialNumber))).toMatch(/^25009: .*Expired/);
  });
});

describe('files of the authority', () => {
  it('are where a certificate says, for anyone, in their media types', async () => {
    const { certificate } = await issue(service, await company());
    const [address = ''] = readCertificate(certificate).crlAddresses;
    expect(address).toMatch(new RegExp(`^${service.url}/pki/crl/[0-9a-f]{40}\\.crl$`));
    const list = await fetch(address, { headers: { accept: 'application/pkix-crl' } });
    expect([list.status, list.headers.get('content-type')]).toEqual([200, 'application/pkix-crl']);
    const authority = await fetch(address.replace('/crl/', '/ca/').replace('.crl', '.crt'));
    expect([authority.status, authority.headers.get('content-type')]).toEqual([200, 'application/pkix-cert']);
    const ca = new X509Certificate(Buffer.from(await authority.arrayBuffer()));
    expect(new X509Certificate(certificate).verify(ca.publicKey)).toBe(true);
    expect(new X509Certificate(certificate).checkIssued(ca)).toBe(true);
    expect((await service.request('GET', '/pki/crl/nothing.crl')).status).toBe(404);
  });
});
