import { sampleInvoice } from '@kwit/client/sample-invoices';
import { describe, expect, test } from 'vitest';
import { clientTo, nextNip, ownerOf } from './support/clients.ts';
import { startTestService } from './support/service.ts';

describe.each(['svc', 'ksef'] as const)('a service under the name %s', async (name) => {
  const service = await startTestService({ config: { name } });

  test.each([
    'svc',
    'ksef',
  ] as const)('understands a client that speaks %s, and is understood by it', async (spoken) => {
    const client = clientTo(service, { name: spoken });
    const nip = nextNip();
    const owner = await ownerOf(service, client, nip);
    const { token } = await owner.systemTokens.create({ permissions: ['InvoiceWrite'], description: 'For sending' });
    const login = await client.auth.loginByToken(token);
    const session = await login.sessions.openOnline('FA (3)', { upoVersion: 'v4-3' });
    const invoice = await session.waitForInvoice(await session.send(sampleInvoice({ seller: { nip, name: 'Firma' } })));
    expect(invoice.svcNumber).toMatch(new RegExp(`^${nip}-`));
    const receipt = await login.sessions.receipts.byNumber(session.referenceNumber, invoice.svcNumber!);
    const display = name === 'ksef' ? 'KSeF' : 'Svc';
    expect(receipt.xml.toString()).toContain(`<Numer${display}Dokumentu>${invoice.svcNumber}`);
    // The client shows neutral names whatever is spoken.
    const methods = (await owner.logins.list().toArray()).map((one) => one.authenticationMethodInfo.code);
    expect(methods.sort()).toEqual(['token.svc', 'xades.qualified-seal']);
    const usages = (await client.auth.publicKeys.list()).flatMap((key) => key.usage);
    expect(usages.sort()).toEqual(['SvcTokenEncryption', 'SymmetricKeyEncryption']);
  });

  test('answers in its own name on the wire, by whichever route', async () => {
    const nip = nextNip();
    const owner = await ownerOf(service, clientTo(service), nip);
    const session = await owner.sessions.openOnline();
    const sent = await session.send(sampleInvoice({ seller: { nip, name: 'Firma' } }));
    const { svcNumber } = await session.waitForInvoice(sent);
    const headers = { authorization: `Bearer ${await owner.accessToken()}` };
    const path = `/sessions/${session.referenceNumber}/invoices/${sent.referenceNumber}`;
    const { json } = await service.request('GET', path, { headers });
    expect(json).toHaveProperty(`${name}Number`, svcNumber);
    for (const route of ['svc', 'ksef']) {
      const receipt = await service.request(
        'GET',
        `/v2/sessions/${session.referenceNumber}/invoices/${route}/${svcNumber}/upo`,
        { headers },
      );
      expect(receipt.status).toBe(200);
    }
    const keys = (await service.request('GET', '/security/public-key-certificates')).text;
    expect(keys).toContain(name === 'ksef' ? 'KsefTokenEncryption' : 'SvcTokenEncryption');
    const claims = JSON.parse(Buffer.from((await owner.accessToken()).split('.')[1]!, 'base64url').toString());
    expect([claims.iss, claims.aud]).toEqual([`${name}-api-te`, `${name}-api-te`]);
  });
});
