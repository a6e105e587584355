import { sealCertificate } from '@kwit/client';
import { expect, test } from 'vitest';
import { zipOf } from '../support/archives.ts';
import { invoiceOf } from '../support/invoices.ts';
import { closePackage, openPackage, uploadParts } from '../support/packages.ts';
import { client, inNip, newCompany, newNip } from '../support/parties.ts';

async function outcomes<T>(attempts: readonly Promise<T>[]): Promise<{ done: T[]; refused: unknown[] }> {
  const settled = await Promise.allSettled(attempts);
  return {
    done: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    refused: settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
  };
}

test('of a hundred copies sent at once exactly one gets a number, and all others name it', async () => {
  const { nip, login } = await newCompany();
  const sessions = await Promise.all(Array.from({ length: 4 }, () => login.sessions.openOnline()));
  const xml = invoiceOf(nip);
  const sent = await Promise.all(
    Array.from({ length: 100 }, async (_, at) => {
      const session = sessions[at % sessions.length]!;
      return { session, reference: await session.send(xml) };
    }),
  );
  const { done, refused } = await outcomes(sent.map(({ session, reference }) => session.waitForInvoice(reference)));
  expect(done).toHaveLength(1);
  const number = done[0]!.svcNumber;
  expect(refused).toHaveLength(99);
  for (const error of refused) {
    expect(error).toMatchObject({
      status: { code: 440 },
      answer: { status: { extensions: { originalSvcNumber: number } } },
    });
  }
});

test('of twenty who redeem one login exactly one gets its tokens', async () => {
  const nip = newNip();
  const pending = await client.auth.submitSignature(sealCertificate({ name: 'Firma', nip }), inNip(nip));
  await client.auth.waitForLogin(pending);
  const { done, refused } = await outcomes(Array.from({ length: 20 }, () => client.auth.redeem(pending)));
  expect(done).toHaveLength(1);
  for (const error of refused) expect(error).toMatchObject({ code: 21301 });
});

test('of ten who close one session exactly one does', async () => {
  const { nip, login } = await newCompany();
  const session = await login.sessions.openOnline();
  await session.send(invoiceOf(nip));
  const { done, refused } = await outcomes(Array.from({ length: 10 }, () => session.close()));
  expect(done).toHaveLength(1);
  for (const error of refused) expect(error).toMatchObject({ code: 21180 });
  expect(await session.wait()).toMatchObject({ successfulInvoiceCount: 1 });
});

test('fifty parts uploaded at once and out of order', async () => {
  const { nip, login } = await newCompany();
  const files = Array.from({ length: 30 }, (_, at) => [`${at}.xml`, invoiceOf(nip)] as const);
  const opened = await openPackage(login, zipOf(files), { parts: 50 });
  opened.partUploadRequests.reverse();
  expect(new Set(await uploadParts(opened))).toEqual(new Set([201]));
  const { done } = await outcomes(Array.from({ length: 5 }, () => closePackage(login, opened)));
  expect(done).toHaveLength(1);
  expect(await login.sessions.waitForSession(opened.referenceNumber)).toMatchObject({ successfulInvoiceCount: 30 });
});

test('the same grant asked for ten times at once is there once', async () => {
  const { login } = await newCompany();
  const subject = newNip();
  const { done } = await outcomes(
    Array.from({ length: 10 }, async () =>
      login.permissions.waitFor(
        await login.permissions.grantEntity({
          subjectIdentifier: { type: 'Nip', value: subject },
          permissions: [{ type: 'InvoiceRead' }],
          description: 'Acceptance test',
          subjectDetails: { fullName: 'Accounting office' },
        }),
      ),
    ),
  );
  expect(done).toHaveLength(10);
  const listed = await login.permissions.personGrants({ queryType: 'PermissionsGrantedInCurrentContext' }).toArray();
  expect(listed).toHaveLength(1);
});
