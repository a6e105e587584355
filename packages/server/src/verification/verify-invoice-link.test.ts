import { createHash } from 'node:crypto';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { invoiceLink } from '@kwit/contract/qr-links';
import { describe, expect, it } from 'vitest';
import { type Actor, logIn, openSession, sendAndJudge } from '../../test/support/actors.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';

const NIP = '5260250274';
const DAY = '2026-11-16';
const hashOf = (xml: string) => createHash('sha256').update(xml).digest();
let last = 0;
function invoice(): string {
  last += 1;
  return sampleInvoice({ seller: { nip: NIP, name: 'Sprzedawca' }, number: `QR/${last}`, issueDate: DAY });
}

const service = await startTestService();
const seller = await logIn(service, NIP);

async function accept(at: TestService, actor: Actor, xml: string, change = {}): Promise<string> {
  const judged = await sendAndJudge(at, actor, await openSession(actor), xml, change);
  expect(judged.status).toMatchObject({ code: 200 });
  return judged.svcNumber as string;
}

const path = (xml: string, change: { sellerNip?: string; issueDate?: string } = {}) =>
  invoiceLink('', { sellerNip: NIP, issueDate: DAY, hash: hashOf(xml), ...change });

async function look(where: string, at = service) {
  const { status, json } = await at.request('GET', where, { headers: { accept: 'application/json' } });
  expect(status).toBe(200);
  return json;
}

describe('code I', () => {
  it('of an accepted invoice shows its number and basic data, and no amounts', async () => {
    const xml = invoice();
    expect(await look(path(xml))).toEqual({ found: false });
    const number = await accept(service, seller, xml);
    const shown = {
      found: true,
      technicallyCorrected: false,
      svcNumber: number,
      issueDate: DAY,
      sellerNip: NIP,
      sellerName: 'Sprzedawca',
      invoicingMode: 'Online',
    };
    expect(await look(path(xml))).toEqual(shown);
    expect(await look(`/v2${path(xml)}`)).toEqual(shown);
    expect(await look(`${path(xml)}=`)).toEqual(shown);
    expect(await look(`${path(xml)}%3D`)).toEqual(shown);
  });

  it('with anything else in it finds nothing', async () => {
    const xml = invoice();
    await accept(service, seller, xml);
    const right = path(xml);
    const [, , nip, date, hash = ''] = right.split('/');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = hash.slice(0, -1) + alphabet[alphabet.indexOf(hash.at(-1) as string) + 1];
    expect(Buffer.from(twin, 'base64url').equals(Buffer.from(hash, 'base64url'))).toBe(true);
    for (const wrong of [
      path(xml, { sellerNip: '5265877635' }),
      path(xml, { issueDate: '2026-11-15' }),
      `/invoice/${nip}/${DAY}/${hash}`,
      `/invoice/${nip}/31-02-2026/${hash}`,
      `/invoice/${nip}/${date}/${twin}`,
      `/invoice/${nip}/${date}/${hash.slice(0, -2)}`,
      `/invoice/${nip}/${date}/${hash.replace(/.$/, '%2B')}`,
      `/invoice/${nip}/${date}/${createHash('sha256').update('x').digest('base64url')}`,
      `/invoice/${nip}/${date}`,
      `/invoice/${nip}/${date}/${hash}/more`,
      `/invoice/x/y/z`,
    ])
      expect(await look(wrong), wrong).toEqual({ found: false });
    expect(await look(right)).toMatchObject({ found: true });
  });

  it('of a document that was technically corrected points to the correction', async () => {
    const broken = invoice().replace('<P_15>', '<P_15>x');
    const session = await openSession(seller);
    expect((await sendAndJudge(service, seller, session, broken, { offlineMode: true })).status.code).toBe(450);
    expect(await look(path(broken))).toEqual({ found: false });
    const corrected = invoice();
    const change = { offlineMode: true, hashOfCorrectedInvoice: hashOf(broken).toString('base64') };
    const number = await accept(service, seller, corrected, change);
    expect(await look(path(broken))).toMatchObject({
      found: true,
      technicallyCorrected: true,
      svcNumber: number,
      invoicingMode: 'Offline',
    });
    expect(await look(path(broken, { sellerNip: '5265877635' }))).toEqual({ found: false });
    expect(await look(path(corrected))).toMatchObject({ technicallyCorrected: false, svcNumber: number });
  });

  it('names the number as the other name does', async () => {
    const other = await startTestService({ config: { name: 'ksef' } });
    const actor = await logIn(other, NIP);
    const xml = invoice();
    const number = await accept(other, actor, xml);
    expect(await look(path(xml), other)).toMatchObject({ found: true, ksefNumber: number });
  });
});
