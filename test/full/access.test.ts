/** The table of who may call what, tried from outside: every endpoint with a token that lacks the right, and without any. */
import { allEndpoints } from '@kwit/contract/all-endpoints';
import type { Endpoint } from '@kwit/contract/endpoint';
import { wirePath } from '@kwit/contract/names';
import { holdsAny } from '@kwit/contract/permissions';
import { expect, test } from 'vitest';
import { checkedFetch } from '../support/checked-fetch.ts';
import { client, grantPerson, inNip, newCompany, newPesel, personOf } from '../support/parties.ts';
import { target } from '../support/target.ts';

const VALUES: Record<string, string> = {
  svcNumber: '5265877635-20250626-010080DD2B5E-26',
  permissionId: '0c9a72e8-f344-457f-9c16-7c640eb60242',
  certificateSerialNumber: '0000000000000000',
};

function call({ method, path }: Endpoint, token?: string): Promise<Response> {
  const filled = path.replace(/:([A-Za-z]+)/g, (_, key) => VALUES[key] ?? '20260101-SO-0000000000-0000000000-00');
  return checkedFetch(`${target.base}${wirePath(target.name, filled)}`, {
    method,
    headers: { 'X-Error-Format': 'problem-details', ...(token && { Authorization: `Bearer ${token}` }) },
  });
}

const inPublic = allEndpoints.filter((endpoint) => !endpoint.hidden);
const guarded = inPublic.filter(({ anyOf }) => anyOf.length > 0);

test('the table is not empty', () => {
  expect(inPublic.length).toBeGreaterThan(75);
  expect(guarded.length).toBeGreaterThan(30);
});

test('nothing that asks for a token answers without one', async () => {
  const secured = inPublic.filter(({ credential }) => !['none', 'optionalAccess'].includes(credential));
  for (const endpoint of secured) {
    expect([endpoint.id, (await call(endpoint)).status]).toEqual([endpoint.id, 401]);
    expect([endpoint.id, (await call(endpoint, 'no.such.token')).status]).toEqual([endpoint.id, 401]);
  }
});

test.each([
  'InvoiceRead',
  'InvoiceWrite',
  'CredentialsRead',
  'CredentialsManage',
  'SubunitManage',
  'Introspection',
] as const)('with %s alone, exactly the endpoints that ask for something else are closed', async (permission) => {
  const company = await newCompany();
  const pesel = newPesel();
  await grantPerson(company, { type: 'Pesel', value: pesel }, [permission]);
  const login = await client.auth.loginBySignature(personOf(pesel), inNip(company.nip));
  const token = await login.accessToken();
  for (const endpoint of guarded) {
    const response = await call(endpoint, token);
    const problem = (await response.json().catch(() => ({}))) as { reasonCode?: string };
    const closed = problem.reasonCode === 'missing-permissions';
    expect([endpoint.id, closed]).toEqual([endpoint.id, !holdsAny([permission], endpoint.anyOf)]);
  }
});

test('what is closed to a login by token says so', async () => {
  const { login } = await newCompany();
  const made = await login.systemTokens.create({ permissions: ['CredentialsManage'], description: 'For the table' });
  await login.systemTokens.waitUntilActive(made.referenceNumber);
  const token = await (await client.auth.loginByToken(made.token)).accessToken();
  for (const endpoint of inPublic.filter(({ signatureLoginOnly }) => signatureLoginOnly)) {
    const response = await call(endpoint, token);
    expect([endpoint.id, await response.json()]).toEqual([
      endpoint.id,
      expect.objectContaining({
        reasonCode: 'auth-method-not-allowed',
        security: expect.objectContaining({ authenticationMethodCategory: 'Token' }),
      }),
    ]);
  }
});
