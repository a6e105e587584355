import { constants, createHash, type KeyObject, sign } from 'node:crypto';
import { makeCertificateKey } from '@kwit/client/certification-request';
import { personCertificate } from '@kwit/client/test-certificates';
import { grantAuthorization } from '@kwit/contract/permission-endpoints';
import { type CertificateLink, certificateLink, certificateLinkText } from '@kwit/contract/qr-links';
import { signLinkText } from '@kwit/contract/qr-signature';
import { grantTestPermissions } from '@kwit/contract/testdata-endpoints';
import { describe, expect, it } from 'vitest';
import { logIn } from '../../test/support/actors.ts';
import { certificatesOf, issue } from '../../test/support/certificates-over-http.ts';
import { testDatabase } from '../../test/support/database.ts';
import { startTestService } from '../../test/support/service.ts';
import { sql } from '../platform/db/sql.ts';

const database = await testDatabase();
const QR = 'https://qr.svc.test';
const service = await startTestService({ databaseUrl: database.url, config: { qrAddresses: [QR] } });
const { clock } = service;
const hash = createHash('sha256').update('a file').digest();
const NIP = '1111111111';

const owner = await logIn(service, NIP);
const ec = await issue(service, owner, { type: 'Offline' });
const rsa = await issue(service, owner, { type: 'Offline', key: makeCertificateKey('rsa') });

function linkOf(serial: string, change: Partial<CertificateLink> = {}): CertificateLink {
  return { contextType: 'Nip', contextValue: NIP, sellerNip: NIP, certificateSerialNumber: serial, hash, ...change };
}

const asJson = { headers: { accept: 'application/json' } };
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '');
async function check(url: string) {
  const { status, json } = await service.request('GET', pathOf(url), asJson);
  return { status, ...(json as Record<string, unknown>) };
}
const made = (certificate: { serialNumber: string; privateKey: KeyObject }, base = service.url, change = {}) =>
  certificateLink(base, linkOf(certificate.serialNumber, change), (text) => signLinkText(certificate.privateKey, text));

const GOOD = {
  status: 200,
  certificateExists: true,
  certificateActive: true,
  signatureValid: true,
  issuerAuthorized: true,
};

describe('code II', () => {
  it('with r and s, with DER and with PSS is good in all four checks', async () => {
    expect(await check(made(ec))).toEqual({
      ...GOOD,
      certificateSerialNumber: ec.serialNumber,
      commonName: `Firma ${NIP}`,
    });
    const der = certificateLink(service.url, linkOf(ec.serialNumber), (text) =>
      signLinkText(ec.privateKey, text, 'der'),
    );
    expect(await check(der)).toMatchObject(GOOD);
    expect(await check(made(rsa))).toMatchObject(GOOD);
    expect(await check(`${made(rsa)}=`)).toMatchObject(GOOD);
    expect(await check(`/v2${pathOf(made(ec, `${service.url}/v2`))}`.replace('/v2/v2', '/v2'))).toMatchObject(GOOD);
  });

  it('leaves the date of its use', async () => {
    clock.advance(1_000);
    await check(made(ec));
    const [listed] = await certificatesOf(owner).list({ certificateSerialNumber: ec.serialNumber }).toArray();
    expect(listed?.lastUseDate).toBe('2026-11-16T11:00:01.000+00:00');
  });

  it('is good for configured addresses and the one asked, and for no other', async () => {
    expect(await check(made(ec, QR))).toMatchObject(GOOD);
    // What two client libraries sign against a plain installation.
    const text = certificateLinkText(service.url, linkOf(ec.serialNumber));
    const plain = signLinkText(ec.privateKey, Buffer.from(`http://${text}`)).toString('base64url');
    expect(await check(`http://${text}/${plain}`)).toMatchObject(GOOD);
    expect(await check(made(ec, 'https://qr.example.org'))).toMatchObject({ ...GOOD, signatureValid: false });
  });

  it.each([
    ['hash', { hash: createHash('sha256').update('another').digest() }],
    ['seller', { sellerNip: '2222222222' }],
    ['context', { contextType: 'InternalId' as const, contextValue: `${NIP}-12345` }],
  ])('with another %s than the signed one has no good signature', async (_, change) => {
    const [signature] = made(ec).split('/').slice(-1);
    const changed = `${certificateLinkText(service.url, linkOf(ec.serialNumber, change))}/${signature}`;
    expect(await check(`http://${changed}`)).toMatchObject({ certificateExists: true, signatureValid: false });
  });

  it('with its signature made in any other way is not good', async () => {
    const text = certificateLinkText(service.url, linkOf(rsa.serialNumber));
    const ecText = certificateLinkText(service.url, linkOf(ec.serialNumber));
    const pss = (data: string, saltLength: number) =>
      sign('sha256', Buffer.from(data), { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
    const digest = createHash('sha256').update(ecText).digest();
    for (const [over, signature] of [
      [text, pss(`https://${text}`, 32)],
      [text, pss(`${text}/`, 32)],
      [text, pss(text, 20)],
      [text, sign('sha256', Buffer.from(text), rsa.privateKey)],
      [ecText, signLinkText(ec.privateKey, Buffer.from(`https://${ecText}`))],
      [ecText, signLinkText(ec.privateKey, digest)],
      [ecText, Buffer.alloc(64)],
      [ecText, Buffer.from([1])],
    ] as const)
      expect(await check(`http://${over}/${signature.toString('base64url')}`)).toMatchObject({
        ...GOOD,
        signatureValid: false,
      });
  });

  it('in Base64url that is not canonical, or not Base64url, is not good', async () => {
    const url = made(ec);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const lastSign = url.at(-1) as string;
    // 64 bytes leave four unused bits in the last character.
    const twin = url.slice(0, -1) + alphabet[alphabet.indexOf(lastSign) + 1];
    expect(Buffer.from(twin.split('/').at(-1) as string, 'base64url')).toEqual(
      Buffer.from(url.split('/').at(-1) as string, 'base64url'),
    );
    expect(await check(twin)).toMatchObject({ ...GOOD, signatureValid: false });
    const parts = url.split('/');
    const hashText = parts.at(-2) as string;
    const hashTwin = hashText.slice(0, -1) + alphabet[alphabet.indexOf(hashText.at(-1) as string) + 1];
    expect(await check([...parts.slice(0, -2), hashTwin, parts.at(-1)].join('/'))).toMatchObject({
      signatureValid: false,
    });
    expect(await check(`${url}%2B`)).toMatchObject({ signatureValid: false });
    expect(await check(`${url}===`)).toMatchObject({ signatureValid: false });
  });

  it('of an unknown certificate fails altogether', async () => {
    const nothing = {
      status: 200,
      certificateExists: false,
      certificateActive: false,
      signatureValid: false,
      issuerAuthorized: false,
    };
    for (const serial of ['0123456789ABCDEF', 'abc', ec.serialNumber.replace(/^../, 'ff'), `${ec.serialNumber}%20`])
      expect(await check(made({ ...ec, serialNumber: serial }))).toMatchObject(nothing);
    expect((await check(made({ ...ec, serialNumber: '%00' }))).status).toBe(400);
    expect((await check(made({ ...ec, serialNumber: '%zz' }))).status).toBe(400);
  });

  it('of a certificate for logins, revoked, not begun or ended is not active', async () => {
    const login = await issue(service, owner);
    expect(await check(made(login))).toMatchObject({ ...GOOD, certificateActive: false });
    const revoked = await issue(service, owner, { type: 'Offline' });
    await certificatesOf(owner).revoke(revoked.serialNumber);
    expect(await check(made(revoked))).toMatchObject({ ...GOOD, certificateActive: false });
    const later = await issue(service, owner, {
      type: 'Offline',
      validFrom: new Date(clock.now() + 3_600_000).toISOString(),
    });
    expect(await check(made(later))).toMatchObject({ ...GOOD, certificateActive: false });
    const start = new Date(clock.now() - 730 * 86_400_000 + 2_000).toISOString();
    const ending = await issue(service, owner, { type: 'Offline', validFrom: start });
    expect(await check(made(ending))).toMatchObject(GOOD);
    clock.advance(3_000);
    expect(await check(made(ending))).toMatchObject({ ...GOOD, certificateActive: false });
    const [unused] = await certificatesOf(owner).list({ certificateSerialNumber: later.serialNumber }).toArray();
    expect(unused).not.toHaveProperty('lastUseDate');
  });

  it('asks for the rights of this moment in all three constellations', async () => {
    const seller = '2222222222';
    expect(await check(made(ec, service.url, { sellerNip: seller }))).toMatchObject({
      ...GOOD,
      issuerAuthorized: false,
    });
    const pesel = '88102341294';
    const validFrom = clock.now() - 3_600_000;
    const certificate = personCertificate({ givenName: 'Jan', surname: 'Nowak', pesel }, { validFrom });
    const company = '5262033333';
    await owner.transport.call(grantTestPermissions, {
      body: {
        contextIdentifier: { type: 'Nip', value: company },
        authorizedIdentifier: { type: 'Pesel', value: pesel },
        permissions: [{ permissionType: 'InvoiceWrite', description: 'Wystawianie' }],
      },
    });
    const jan = await issue(service, await logIn(service, company, { certificate }), { type: 'Offline' });
    const inCompany = { contextValue: company, sellerNip: company };
    expect(await check(made(jan, service.url, inCompany))).toMatchObject(GOOD);
    expect(await check(made(jan, service.url, { ...inCompany, contextValue: NIP }))).toMatchObject({
      ...GOOD,
      issuerAuthorized: false,
    });
    const forSeller = { contextValue: company, sellerNip: seller };
    expect(await check(made(jan, service.url, forSeller))).toMatchObject({ ...GOOD, issuerAuthorized: false });
    const sellerActor = await logIn(service, seller);
    await sellerActor.transport.call(grantAuthorization, {
      token: sellerActor.token,
      body: {
        subjectIdentifier: { type: 'Nip', value: company },
        permission: 'SelfInvoicing',
        description: 'Samofakturowanie',
        subjectDetails: { fullName: 'Firma' },
      } as never,
    });
    await service.drain();
    expect(await check(made(jan, service.url, forSeller))).toMatchObject(GOOD);
  });

  it('with a wrong number of parts or an unknown type of context is malformed', async () => {
    const url = made(ec);
    for (const path of [
      url.replace('/Nip/', '/nip/'),
      url.replace('/Nip/', '/Foo/'),
      `${url}/more`,
      url.split('/').slice(0, -1).join('/'),
      '/certificate/x',
    ]) {
      const { status, json } = await service.request('GET', pathOf(path), asJson);
      expect([status, json]).toEqual([400, { error: 'malformed-link' }]);
    }
  });
});

describe('known vectors', () => {
  const HASH = 'ae32hFzMSwnensKJYbDzYV13CmMLu3HhZdUr65V80Z0';
  const VECTORS = [
    [
      'P1363',
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE53Nzj6MVjzd3I/QprEwIkiBIfBMvllcV8dnX8SixnKbtSOoVVuQEbl9KJNv+7CntD/SMNw1eAxHYfB4zAZEIrA==',
      'rtu-HI4q0QZno_Y_T9JCu1fNP88CJ2gJOav9YKtwfVRmx5cQg4vAIlIsnCPJAKG4v7OQLpWWJdJ8Nkd19hr7Tw',
    ],
    [
      'DER',
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE53Nzj6MVjzd3I/QprEwIkiBIfBMvllcV8dnX8SixnKbtSOoVVuQEbl9KJNv+7CntD/SMNw1eAxHYfB4zAZEIrA==',
      'MEUCIA_pRO50lKewsq8F_QfIZFcJbefCu-Hsjca7JPRXjKSgAiEAj27rnOdTFWWaVV9JtWHOd4UPtSQ97egt9Rg3ssfZ5Ec',
    ],
    [
      'PSS',
      'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwlRcF2t4ugP+fI0ddgwvL06Jn4QT1ZAIuO+6GAncebIyAHIwTQCZe3EjejEgsRiXHGZ8gzy3C/VqzhlrqvBjHjoUnxOKrrgtGtzfo2T3V82LvTVaRl6Ksvrl3TVDutumK6z7IgXIgRkvJje9SmrUOJmicakiP9/8axrVBw9xgy1EsSZ0K/rwctHPfaRb4qPLpmziC9XyHk96pG/MnV1HJWukIDhGkcs6KxrfhA8p2GzpcLTttK1F2vjqg6dI+doH7UFeUe70GDb4ECDFBEv99UQtSzNKAqYLvayO3WyOV0YfMPOO9QNf9U5y0IqI8P9muj3C7QVrfNFRe+rlC17J5QIDAQAB',
      'TxipQAdlSZJfHrvuQQ7JYwxCe5pCXFnqUJ4NEK__Wgj7W6eteEjIJrYK2cUzWyhHFfvSy3MR3ij607si2AwJES8WLZgj9N-_eg3p8cptktlU6wG3HbZa5kNyRboFLR7gZ_0bQYlK3Q2eibGyxhZq4ZXMOwDDyhMfv7xho62kMzCy1A_PhfXTXJzQgjQsJ_RqIEGXIKwDOC2MlqJqmXqr2ADkqO7cuDWHnyRJ_2ztOtELovGj-LZAbpZLm8ND5RmxYSir9WCtNZEIr50ny4nRJ9dNIZh2LmuPSpc0FrdLql-f1EwFiX9z4HyNvb3HZtdv8NJ3P9xwcduqvFZVnIDbxQ',
    ],
  ] as const;

  let vector: string | undefined;
  it.each(VECTORS)('%s', async (_, spki, signature) => {
    // Nobody has the keys of the vectors: a certificate of ours gets their serial number and public part.
    vector ??= (await issue(service, owner, { type: 'Offline' })).serialNumber;
    await database.execute(sql`
      update certificate set serial = '01A2B3C4D5E6F708', spki = ${Buffer.from(spki, 'base64')} where serial = ${vector}`);
    vector = '01A2B3C4D5E6F708';
    expect(await check(`${QR}/certificate/Nip/${NIP}/${NIP}/01A2B3C4D5E6F708/${HASH}/${signature}`)).toMatchObject(
      GOOD,
    );
  });
});
