import { queryMetadata } from '@kwit/contract/retrieval-endpoints';
import { expect, test } from 'vitest';
import { zipOf } from '../support/archives.ts';
import { findInvoice, invoiceOf, lately } from '../support/invoices.ts';
import { sendPackage } from '../support/packages.ts';
import { type Company, newCompany, newPesel, refusal } from '../support/parties.ts';

const grantMany = async ({ login }: Company, count: number) => {
  for (let at = 0; at < count; at += 1) {
    await login.permissions.waitFor(
      await login.permissions.grantPerson({
        subjectIdentifier: { type: 'Pesel', value: newPesel() },
        permissions: ['InvoiceRead'],
        description: `Grant ${at}`,
        subjectDetails: {
          subjectDetailsType: 'PersonByIdentifier',
          personById: { firstName: 'Anna', lastName: 'Nowak' },
        },
      }),
    );
  }
};

test('lists with a continuation token: every item once, newest first, and no other token fits', async () => {
  const { login } = await newCompany();
  const opened: string[] = [];
  for (let at = 0; at < 12; at += 1) opened.push((await login.sessions.openOnline()).referenceNumber);
  const list = login.sessions.list({ sessionType: 'Online', pageSize: 10 });
  expect((await list.toArray()).map((one) => one.referenceNumber)).toEqual([...opened].reverse());
  const { continuationToken } = await list.page();
  expect(continuationToken).toBeTruthy();
  expect((await list.page({ continuationToken })).continuationToken).toBeFalsy();
  expect((await refusal(list.page({ continuationToken: 'garbage' }))).code).toBe(21418);
  const tokens = login.systemTokens.list();
  expect((await refusal(tokens.page({ continuationToken }))).code).toBe(21418);
  const other = await newCompany();
  const foreign = other.login.sessions.list({ sessionType: 'Online', pageSize: 10 });
  expect((await refusal(foreign.page({ continuationToken }))).code).toBe(21418);
});

test('lists with numbered pages', async () => {
  const company = await newCompany();
  await grantMany(company, 12);
  const list = company.login.permissions.personGrants(
    { queryType: 'PermissionsGrantedInCurrentContext' },
    { pageSize: 10 },
  );
  const all = await list.toArray();
  expect(all.map((one) => one.description)).toEqual(Array.from({ length: 12 }, (_, at) => `Grant ${11 - at}`));
  expect(await list.page()).toMatchObject({ hasMore: true });
  expect(await list.page({ pageOffset: 1 })).toMatchObject({ hasMore: false });
  expect((await list.page({ pageOffset: 7 })).permissions).toEqual([]);
  expect((await refusal(list.page({ pageOffset: -1 }))).code).toBe(21405);
});

test('metadata in pages, in both directions, nothing missing and nothing twice', async () => {
  const { nip, login } = await newCompany();
  const files = Array.from({ length: 23 }, (_, at) => [`${at}.xml`, invoiceOf(nip)] as const);
  const { referenceNumber } = await sendPackage(login, zipOf(files));
  await login.sessions.waitForSession(referenceNumber);
  const sent = (await login.sessions.invoices(referenceNumber).toArray()).map((one) => one.svcNumber!);
  for (const number of sent) await findInvoice(login, number);
  const body = lately();
  const walk = async (sortOrder: 'Asc' | 'Desc') => {
    const seen: string[] = [];
    for (let pageOffset = 0, more = true; more; pageOffset += 1) {
      const page = await login.call(queryMetadata, { body, query: { pageSize: 10, pageOffset, sortOrder } });
      seen.push(...page.invoices.map((one) => one.svcNumber));
      more = page.hasMore;
    }
    return seen;
  };
  const ascending = await walk('Asc');
  expect([...ascending].sort()).toEqual([...sent].sort());
  expect(await walk('Desc')).toEqual([...ascending].reverse());
  const beyond = login.call(queryMetadata, { body, query: { pageSize: 250, pageOffset: 40 } });
  expect((await refusal(beyond)).details).toEqual([
    'You cannot retrieve invoices starting from number 10 000 or higher. Please narrow your filters.',
  ]);
});
