import { getInvoice } from '@kwit/contract/retrieval-endpoints';
import { expect, test } from 'vitest';
import { answerChecker } from '../support/answer-checker.ts';
import { openApiDocument } from '../support/checked-fetch.ts';
import { findInvoice, invoiceOf, sendOne, sha256 } from '../support/invoices.ts';
import { client, newCompany } from '../support/parties.ts';
import { target } from '../support/target.ts';

test('the service lives, is ready, and describes itself', async () => {
  for (const path of ['/', '/health/live', '/health/ready', '/docs', '/metrics']) {
    expect([path, (await fetch(`${target.base}${path}`)).status]).toEqual([path, 200]);
  }
  const document = await openApiDocument();
  expect(document.openapi).toMatch(/^3\.1\./);
  expect(Object.keys(document.paths)).toContain(`/auth/${target.name}-token`);
});

test('an answer that is not as the document says would be noticed', async () => {
  const judge = answerChecker(await openApiDocument());
  const answer = { method: 'POST', path: '/auth/challenge', status: 200, mediaType: 'application/json' };
  const response = await fetch(`${target.base}/auth/challenge`, { method: 'POST' });
  const good = Buffer.from(await response.arrayBuffer());
  expect(judge({ ...answer, body: good })).toEqual([]);
  expect(judge({ ...answer, body: Buffer.from('{}') })).not.toEqual([]);
  const asText = good.toString().replace(/"timestampMs":(\d+)/, '"timestampMs":"$1"');
  expect(judge({ ...answer, body: Buffer.from(asText) })).not.toEqual([]);
  const short = good.toString().replace('-CR-', '-');
  expect(judge({ ...answer, body: Buffer.from(short) })).not.toEqual([]);
  expect(judge({ ...answer, body: good, mediaType: 'text/html' })).not.toEqual([]);
  expect(judge({ ...answer, body: good, status: 201 })).not.toEqual([]);
  expect(judge({ ...answer, body: good, status: 404 })).not.toEqual([]);
});

test('a challenge has the form that clients check', async () => {
  const { challenge, timestamp, timestampMs } = await client.auth.challenge();
  expect(challenge).toMatch(/^\d{8}-CR-[A-F0-9]{10}-[A-F0-9]{10}-[A-F0-9]{2}$/);
  expect(Date.parse(timestamp)).toBe(timestampMs);
  expect(Math.abs(timestampMs - Date.now())).toBeLessThan(60_000);
});

test('an invoice gets its number and its receipt, and the buyer finds and downloads it', async () => {
  const [seller, buyer] = await Promise.all([newCompany(), newCompany()]);
  const xml = invoiceOf(seller.nip, { buyer: { nip: buyer.nip, name: 'Nabywca' } });
  const { session, number, status } = await sendOne(seller.login, xml);
  expect(number).toMatch(new RegExp(`^${seller.nip}-\\d{8}-[0-9A-F]{12}-[0-9A-F]{2}$`));
  expect(status).toMatchObject({ status: { code: 200 }, invoiceCount: 1, successfulInvoiceCount: 1 });
  const receipt = await seller.login.sessions.receipts.byNumber(session.referenceNumber, number);
  expect(receipt.xml.toString()).toContain(number);

  const found = await findInvoice(buyer.login, number, 'Subject2');
  expect(found).toMatchObject({ seller: { nip: seller.nip }, grossAmount: 123, invoiceHash: sha256(xml) });
  const { bytes, headers } = await buyer.login.transport.exchange(getInvoice, { params: { svcNumber: number } });
  expect(bytes.toString('utf8')).toBe(xml);
  expect(headers.get('x-ms-meta-hash')).toBe(sha256(xml));
});
