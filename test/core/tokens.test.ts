import { peppolCertificate } from '@kwit/client';
import { expect, test } from 'vitest';
import { client, inNip, newCompany, newEmployee, newPeppolId, refusal } from '../support/parties.ts';

const wanted = { permissions: ['InvoiceRead' as const], description: 'Nightly run' };

test('a token is made, listed, read and revoked', async () => {
  const { nip, login } = await newCompany();
  const { referenceNumber, token } = await login.systemTokens.create(wanted);
  expect(token).toMatch(new RegExp(`^${referenceNumber}\\|nip-${nip}\\|[0-9a-f]{64}$`));
  const active = await login.systemTokens.waitUntilActive(referenceNumber);
  expect(active).toMatchObject({
    status: 'Active',
    description: 'Nightly run',
    requestedPermissions: ['InvoiceRead'],
    contextIdentifier: inNip(nip),
    authorIdentifier: { type: 'Nip', value: nip },
  });
  const listed = await login.systemTokens.list({ status: ['Active'], description: 'ightly' }).toArray();
  expect(listed.map((one) => one.referenceNumber)).toEqual([referenceNumber]);
  await login.systemTokens.revoke(referenceNumber);
  await expect.poll(async () => (await login.systemTokens.read(referenceNumber)).status).toBe('Revoked');
  expect(await login.systemTokens.list({ status: ['Active'] }).toArray()).toEqual([]);
});

test('a token carries no more than its author holds, and makes no tokens itself', async () => {
  const company = await newCompany();
  const employee = await newEmployee(company, ['InvoiceRead']);
  const more = { ...wanted, permissions: ['InvoiceRead' as const, 'InvoiceWrite' as const] };
  expect((await refusal(employee.login.systemTokens.create(more))).code).toBe(26001);
  const { referenceNumber, token } = await employee.login.systemTokens.create(wanted);
  await employee.login.systemTokens.waitUntilActive(referenceNumber);
  const byToken = await client.auth.loginByToken(token);
  expect(await refusal(byToken.systemTokens.create(wanted))).toMatchObject({
    status: 403,
    reasonCode: 'auth-method-not-allowed',
  });
  expect(await refusal(byToken.certificates.limits())).toMatchObject({ reasonCode: 'auth-method-not-allowed' });
  // The owner sees tokens of everybody, the employee only the own one.
  await company.login.systemTokens.create(wanted);
  expect(await company.login.systemTokens.list().toArray()).toHaveLength(2);
  expect(await employee.login.systemTokens.list().toArray()).toHaveLength(1);
});

test('tokens exist in the contexts of companies and their units only', async () => {
  const peppolId = newPeppolId();
  const provider = await client.auth.loginBySignature(peppolCertificate({ name: 'Provider', peppolId }), {
    type: 'PeppolId',
    value: peppolId,
  });
  expect((await refusal(provider.systemTokens.create(wanted))).code).toBe(26002);
});
