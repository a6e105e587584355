import { X509Certificate } from 'node:crypto';
import { makeCertificateKey, makeCertificationRequest } from '@kwit/client';
import { certificateLink, invoiceLink } from '@kwit/contract/qr-links';
import { signLinkText } from '@kwit/contract/qr-signature';
import { describe, expect, test } from 'vitest';
import { checkedFetch } from '../support/checked-fetch.ts';
import { dayAgo, invoiceOf, sendOne, sha256 } from '../support/invoices.ts';
import { client, failure, inNip, newCompany, newNip, refusal } from '../support/parties.ts';
import { target } from '../support/target.ts';

const asJson = { headers: { Accept: 'application/json' } };
const ask = async (url: string): Promise<Record<string, unknown>> =>
  (await (await checkedFetch(url, asJson)).json()) as Record<string, unknown>;

describe('certificates', () => {
  test('one is asked for, listed, logged in with, revoked, and then worth nothing', async () => {
    const { nip, login } = await newCompany();
    const before = await login.certificates.limits();
    const own = await login.certificates.obtain({ name: 'Night job', type: 'Authentication' });
    expect(own.serialNumber).toMatch(/^[0-9A-F]{16}$/);
    expect(new X509Certificate(own.certificate).serialNumber).toBe(own.serialNumber);
    const after = await login.certificates.limits();
    expect(after.certificate.remaining).toBe(before.certificate.remaining - 1);
    const listed = await login.certificates.list({ status: 'Active' }).toArray();
    expect(listed).toMatchObject([
      { certificateSerialNumber: own.serialNumber, name: 'Night job', subjectIdentifier: { type: 'Nip', value: nip } },
    ]);
    const pending = await client.auth.submitSignature(own, inNip(nip));
    const { authenticationMethodInfo } = await client.auth.waitForLogin(pending);
    expect(authenticationMethodInfo.code).toMatch(/^xades\.(?:svc|ksef)-certificate$/);
    await login.certificates.revoke(own.serialNumber, 'Superseded');
    expect(await login.certificates.list({ status: 'Active' }).toArray()).toEqual([]);
    expect((await refusal(login.certificates.revoke(own.serialNumber))).code).toBe(25009);
    expect(await failure(client.auth.loginBySignature(own, inNip(nip)))).toMatchObject({
      code: 460,
      details: ['Certyfikat odwołany'],
    });
  });

  test('with an RSA key, in either padding', async () => {
    const { login } = await newCompany();
    const data = await login.certificates.data();
    for (const padding of ['pkcs1', 'pss'] as const) {
      const csr = makeCertificationRequest(data, makeCertificateKey('rsa'), { padding }).toString('base64');
      const { referenceNumber } = await login.certificates.enroll({
        certificateName: `Of RSA ${padding}`,
        certificateType: 'Offline',
        csr,
      });
      expect(await login.certificates.waitFor(referenceNumber)).toMatch(/^[0-9A-F]{16}$/);
    }
  });

  test('what is wrong with a request is told by its code', async () => {
    const { login } = await newCompany();
    const data = await login.certificates.data();
    const enroll = async (csr: Buffer) =>
      refusal(
        login.certificates.enroll({
          certificateName: 'Refused one',
          certificateType: 'Offline',
          csr: csr.toString('base64'),
        }),
      );
    const key = makeCertificateKey();
    const good = makeCertificationRequest(data, key);
    expect((await enroll(makeCertificationRequest({ ...data, commonName: 'Other' }, key))).code).toBe(25003);
    expect((await enroll(Buffer.from('no request'))).code).toBe(25004);
    const broken = Buffer.from(good);
    broken[broken.length - 1] = broken.at(-1)! ^ 1;
    expect((await enroll(broken)).code).toBe(25004);
    expect((await refusal(login.certificates.revoke('0000000000000000'))).code).toBe(25008);
    const unknown = login.certificates.enrollment('20260101-CW-0000000000-0000000000-00');
    expect((await refusal(unknown)).status).toBe(400);
  });
});

describe('verification links', () => {
  test('of an invoice', async () => {
    const { nip, login } = await newCompany();
    const { sent, number } = await sendOne(login, invoiceOf(nip));
    const hash = Buffer.from(sent.invoiceHash, 'base64');
    const link = { sellerNip: nip, issueDate: dayAgo(), hash };
    const found = await ask(invoiceLink(target.base, link));
    expect(found).toMatchObject({ found: true, sellerNip: nip });
    expect(found[`${target.name}Number`]).toBe(number);
    const other = Buffer.from(sha256('another'), 'base64');
    expect(await ask(invoiceLink(target.base, { ...link, hash: other }))).toEqual({ found: false });
    expect(await ask(invoiceLink(target.base, { ...link, sellerNip: newNip() }))).toEqual({ found: false });
  });

  test('of an offline invoice, signed with a certificate of the service', async () => {
    const { nip, login } = await newCompany();
    const own = await login.certificates.obtain({ name: 'For offline', type: 'Offline' });
    const parts = {
      contextType: 'Nip' as const,
      contextValue: nip,
      sellerNip: nip,
      certificateSerialNumber: own.serialNumber,
      hash: Buffer.from(sha256(invoiceOf(nip)), 'base64'),
    };
    const sign = (text: Uint8Array) => signLinkText(own.privateKey, text);
    const good = certificateLink(target.base, parts, sign);
    const all = { certificateExists: true, certificateActive: true, signatureValid: true, issuerAuthorized: true };
    expect(await ask(good)).toMatchObject(all);
    const forged = certificateLink(target.base, parts, (text) => signLinkText(makeCertificateKey(), text));
    expect(await ask(forged)).toMatchObject({ ...all, signatureValid: false });
    await login.certificates.revoke(own.serialNumber);
    expect(await ask(good)).toMatchObject({ ...all, certificateActive: false });
    // Too few parts: no operation of the document, so it is asked for plainly.
    expect((await fetch(`${target.base}/certificate/Nip/${nip}`, asJson)).status).toBe(400);
  });
});
