import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { tarGzOf, zipOf } from '../support/archives.ts';
import { invoiceOf } from '../support/invoices.ts';
import { sendPackage } from '../support/packages.ts';
import { type Company, newCompany } from '../support/parties.ts';

type Kind = 'Zip' | 'TarGz';

/** Code of the session, and of its invoices. */
async function judge({ login }: Company, archive: Buffer, compressionType: Kind = 'Zip') {
  const { referenceNumber } = await sendPackage(login, archive, { compressionType });
  const code = await login.sessions.waitForSession(referenceNumber).then(
    () => 200,
    (error: { status: { code: number } }) => error.status.code,
  );
  const invoices = await login.sessions.invoices(referenceNumber).toArray();
  return { code, invoices };
}

test.each([
  '../../etc/passwd',
  '/abs.xml',
  'C:\\x.xml',
  'a\\..\\b.xml',
  'a\0b.xml',
  '',
])('an entry named %j spoils the package', async (name) => {
  const company = await newCompany();
  const archive = zipOf([
    ['good.xml', invoiceOf(company.nip)],
    [name, invoiceOf(company.nip)],
  ]);
  expect(await judge(company, archive)).toEqual({ code: 430, invoices: [] });
});

test('encrypted entries, unknown methods, a cut archive, a link in a tar', async () => {
  const company = await newCompany();
  const files = [['good.xml', invoiceOf(company.nip)]] as const;
  const refused = { code: 430, invoices: [] };
  expect(await judge(company, zipOf(files, { flags: 1 }))).toEqual(refused);
  expect(await judge(company, zipOf(files, { method: 12 }))).toEqual(refused);
  const whole = zipOf(files);
  expect(await judge(company, whole.subarray(0, whole.length - 30))).toEqual(refused);
  expect(await judge(company, await tarGzOf(files, { link: '/etc/passwd' }), 'TarGz')).toEqual(refused);
  expect(await judge(company, gzipSync('no tar at all'.repeat(100)), 'TarGz')).toMatchObject({ code: 430 });
});

test('a bomb is defused, and the next one in line is not kept waiting', async () => {
  const [attacker, neighbour] = [await newCompany(), await newCompany()];
  const bomb = zipOf([['bomb.xml', Buffer.alloc(150_000_000)]]);
  const began = Date.now();
  const [bombed, calm] = await Promise.all([
    judge(attacker, bomb),
    judge(neighbour, zipOf([['good.xml', invoiceOf(neighbour.nip)]])),
  ]);
  expect(bombed.code).toBeGreaterThan(400);
  expect(bombed.invoices.filter((one) => one.status.code === 200)).toEqual([]);
  expect(calm).toMatchObject({ code: 200, invoices: [{ status: { code: 200 } }] });
  expect(Date.now() - began).toBeLessThan(30_000);
});

test('folders and long names are taken, names cut to their last 128 characters', async () => {
  const company = await newCompany();
  const long = `${'x'.repeat(196)}.xml`;
  const archive = zipOf([
    ['folder/a.xml', invoiceOf(company.nip)],
    [long, invoiceOf(company.nip)],
  ]);
  const { code, invoices } = await judge(company, archive);
  expect(code).toBe(200);
  expect(invoices.map((one) => one.invoiceFileName)).toEqual(['folder/a.xml', long.slice(-128)]);
});
