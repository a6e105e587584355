import { fingerprintCertificate, sealCertificate } from '@kwit/client/test-certificates';
import { signAuthTokenRequest, type XadesSigner } from '@kwit/client/xades';
import * as auth from '@kwit/contract/auth-endpoints';
import { grantEuAdministration } from '@kwit/contract/permission-endpoints';
import { describe, expect, it } from 'vitest';
import { type Actor, logIn, transportTo } from '../../test/support/actors.ts';
import { certificatesOf, issue } from '../../test/support/certificates-over-http.ts';
import { startTestService } from '../../test/support/service.ts';
import { readCertificate } from '../platform/x509/certificate.ts';
import { makeCertificate, spkiOf } from '../platform/x509/make-certificate.ts';

const service = await startTestService();
const { clock } = service;
const transport = transportTo(service);
type Context = { type: 'Nip' | 'NipVatUe'; value: string };

/** Submits a login and gives its status after everything was worked off. */
async function attempt(
  signer: XadesSigner,
  context: Context,
  by: 'certificateSubject' | 'certificateFingerprint' = 'certificateSubject',
) {
  const { challenge } = await transport.call(auth.createChallenge, {});
  const request = { challenge, context, subjectIdentifierType: by };
  const document = signAuthTokenRequest(request, signer, { signingTime: clock.now() });
  const init = await transport.call(auth.authenticateWithSignature, {
    raw: { type: 'application/xml', bytes: document },
  });
  await service.drain();
  const { token } = init.authenticationToken;
  const params = { referenceNumber: init.referenceNumber };
  return { token, answer: await transport.call(auth.getAuthenticationStatus, { token, params }) };
}

const failed = (detail: string) => ({
  code: 460,
  description: 'Uwierzytelnianie zakończone niepowodzeniem z powodu błędu certyfikatu',
  details: [detail],
});

const NIP = '5262011111';
const nip: Context = { type: 'Nip', value: NIP };
const owner = await logIn(service, NIP);

describe('a login with a certificate of the service', () => {
  it('succeeds at once, is its owner, and leaves the date of its use', async () => {
    const certificate = await issue(service, owner);
    clock.advance(60_000);
    const { token, answer } = await attempt(certificate, nip);
    expect(answer).toMatchObject({
      status: { code: 200 },
      authenticationMethod: 'InternalCertificate',
      authenticationMethodInfo: {
        category: 'XadesSignature',
        code: 'xades.svc-certificate',
        displayName: 'Certyfikat Svc',
      },
    });
    const tokens = await transport.call(auth.redeemTokens, { token });
    const actor: Actor = { transport, token: tokens.accessToken.token, refreshToken: tokens.refreshToken.token };
    const certificates = certificatesOf(actor);
    const [listed] = await certificates.list({ certificateSerialNumber: certificate.serialNumber }).toArray();
    expect(listed).toMatchObject({ lastUseDate: '2026-11-16T11:01:00.000+00:00', commonName: `Firma ${NIP}` });
    // The chain of renewals keeps the name: the suffix does not pile up.
    expect(await certificates.data()).toEqual(await certificatesOf(owner).data());
    const renewed = await issue(service, actor);
    expect(readCertificate(renewed.certificate).subject.at(-1)?.value).toBe(`Firma ${NIP} (uwierzytelnienie)`);
    expect((await attempt(renewed, nip)).answer.status.code).toBe(200);
  });

  it('fails with one for offline invoices', async () => {
    const offline = await issue(service, owner, { type: 'Offline' });
    expect((await attempt(offline, nip)).answer.status).toEqual(failed('Niepoprawny certyfikat'));
  });

  it('fails after revocation, while a login that was made before goes on', async () => {
    const certificate = await issue(service, owner);
    const { token } = await attempt(certificate, nip);
    const { refreshToken } = await transport.call(auth.redeemTokens, { token });
    await certificatesOf(owner).revoke(certificate.serialNumber);
    expect((await attempt(certificate, nip)).answer.status).toEqual(failed('Certyfikat odwołany'));
    expect(await transport.call(auth.refreshAccessToken, { token: refreshToken.token })).toHaveProperty('accessToken');
  });

  it('fails before its first and after its last second', async () => {
    const start = new Date(clock.now() + 86_400_000).toISOString();
    const later = await issue(service, owner, { validFrom: start });
    expect((await attempt(later, nip)).answer.status).toEqual(failed('Nieważny certyfikat'));
    const ending = await issue(service, owner, {
      validFrom: new Date(clock.now() - 730 * 86_400_000 + 3_600_000).toISOString(),
    });
    clock.advance(86_400_000);
    expect((await attempt(ending, nip)).answer.status).toEqual(failed('Nieważny certyfikat'));
    expect((await attempt(later, nip)).answer.status.code).toBe(200);
  });

  it('fails with a self-made copy of issuer and serial number', async () => {
    const real = await issue(service, await logIn(service, NIP));
    const { subjectDer, issuerDer, notBefore, notAfter, extensions } = readCertificate(real.certificate);
    const { privateKey } = sealCertificate({ name: 'Obcy', nip: NIP });
    const copy = await makeCertificate(
      {
        serial: Buffer.from(real.serialNumber, 'hex'),
        issuerDer,
        subjectDer,
        notBefore,
        notAfter,
        spki: spkiOf(privateKey),
        extensions,
      },
      privateKey,
    );
    expect((await attempt({ privateKey, certificate: copy }, nip)).answer.status).toEqual(
      failed('Niepoprawny certyfikat'),
    );
  });

  it('is the fingerprint that asked for it, not its own, however it says to be named', async () => {
    const euVat: Context = { type: 'NipVatUe', value: `${NIP}-DE123456789` };
    const validFrom = clock.now() - 3_600_000;
    const foreigner = fingerprintCertificate({ givenName: 'Hans', surname: 'Müller' }, { validFrom });
    const fresh = await logIn(service, NIP);
    await transport.call(grantEuAdministration, {
      token: fresh.token,
      body: {
        subjectIdentifier: { type: 'Fingerprint', value: foreigner.fingerprint },
        contextIdentifier: { type: 'NipVatUe', value: euVat.value },
        description: 'Administrator podmiotu',
        euEntityName: 'Müller GmbH',
        subjectDetails: {
          subjectDetailsType: 'PersonByFingerprintWithoutIdentifier',
          personByFpNoId: {
            firstName: 'Hans',
            lastName: 'Müller',
            birthDate: '1980-01-01',
            idDocument: { type: 'Paszport', number: 'C01X00T47', country: 'DE' },
          },
        },
        euEntityDetails: { fullName: 'Müller GmbH', address: 'Berlin' },
      } as never,
    });
    await service.drain();
    const actor = await logIn(service, NIP, { certificate: foreigner, by: 'certificateFingerprint', context: euVat });
    const own = await issue(service, actor);
    expect((await certificatesOf(actor).list().toArray())[0]?.subjectIdentifier).toEqual({
      type: 'Fingerprint',
      value: foreigner.fingerprint,
    });
    for (const by of ['certificateSubject', 'certificateFingerprint'] as const) {
      const { token, answer } = await attempt(own, euVat, by);
      expect(answer.status.code).toBe(200);
      const { accessToken } = await transport.call(auth.redeemTokens, { token });
      const claims = JSON.parse(Buffer.from(accessToken.token.split('.')[1] as string, 'base64url').toString());
      expect(JSON.parse(claims.sud).subjectIdentifier).toEqual({ type: 'Fingerprint', value: foreigner.fingerprint });
    }
  });
});
