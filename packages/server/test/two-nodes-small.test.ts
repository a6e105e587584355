import { sampleInvoice } from '@kwit/client/sample-invoices';
import * as auth from '@kwit/contract/auth-endpoints';
import * as sessions from '@kwit/contract/session-endpoints';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../src/platform/db/connect.ts';
import { masterKeyFrom } from '../src/platform/keys/master-key.ts';
import { rotateKey } from '../src/platform/keys/rotate-key.ts';
import { systemRandom } from '../src/platform/random.ts';
import {
  type Actor,
  closeSession,
  invoiceStatus,
  logIn,
  openSession,
  send,
  sessionStatus,
  transportTo,
} from './support/actors.ts';
import { startTestService, type TestService } from './support/service.ts';

const MASTER_KEY = Buffer.alloc(32, 7);
const config = { masterKey: MASTER_KEY.toString('base64') };
const SELLER = '5265877635';

const a = await startTestService({ config });
const b = await startTestService({ config, databaseUrl: a.databaseUrl, clock: a.clock });

/** The same login, talking to the other node. */
const on = (node: TestService, actor: Actor): Actor => ({ ...actor, transport: transportTo(node) });

let counter = 0;
function invoice(): string {
  counter += 1;
  return sampleInvoice({ seller: { nip: SELLER, name: 'Firma' }, number: `FV/${counter}`, issueDate: '2026-11-16' });
}

async function settle(): Promise<void> {
  await Promise.all([a.drain(), b.drain()]);
  await Promise.all([a.drain(), b.drain()]);
}

describe('two nodes on one database are one service', () => {
  test('a login at one node is good at both', async () => {
    const actor = await logIn(a, SELLER);
    for (const node of [a, b]) {
      const { items } = await transportTo(node).call(auth.listAuthenticationSessions, { token: actor.token });
      expect(items.some((item) => item.isCurrent)).toBe(true);
    }
    const refreshed = await transportTo(b).call(auth.refreshAccessToken, { token: actor.refreshToken });
    await transportTo(a).call(auth.listAuthenticationSessions, { token: refreshed.accessToken.token });
  });

  test('a login revoked at one node cannot be refreshed at the other', async () => {
    const actor = await logIn(a, SELLER);
    await transportTo(a).call(auth.revokeCurrentSession, { token: actor.token });
    await expect(transportTo(b).call(auth.refreshAccessToken, { token: actor.refreshToken })).rejects.toThrow();
  });

  test('one session fed through both: every invoice has one number, ordinals are unique, the receipt holds all', async () => {
    const atA = await logIn(a, SELLER);
    const atB = on(b, atA);
    const session = await openSession(atA);
    const references = await Promise.all(
      Array.from({ length: 20 }, (_, index) => send(index % 2 === 0 ? atA : atB, session, invoice())),
    );
    await settle();
    const seen = await Promise.all(
      references.map((reference, i) => invoiceStatus(i % 2 === 0 ? atB : atA, session, reference)),
    );
    expect(seen.map((s) => s.status.code)).toEqual(references.map(() => 200));
    expect(new Set(seen.map((s) => s.svcNumber)).size).toBe(20);
    expect(new Set(seen.map((s) => s.ordinalNumber)).size).toBe(20);
    await closeSession(atB, session);
    await settle();
    const status = await sessionStatus(atA, session);
    expect(status).toMatchObject({ status: { code: 200 }, invoiceCount: 20, successfulInvoiceCount: 20 });
    const [page] = status.upo?.pages ?? [];
    const params = { referenceNumber: session.reference, upoReferenceNumber: page?.referenceNumber ?? '' };
    const [first, second] = await Promise.all(
      [atA, atB].map((actor) => actor.transport.exchange(sessions.readUpoPage, { token: actor.token, params })),
    );
    expect(first?.bytes.equals(second?.bytes as Buffer)).toBe(true);
    for (const { svcNumber } of seen) expect(first?.bytes.includes(`>${svcNumber}<`)).toBe(true);
  });

  test('of copies sent through both at once exactly one gets a number, the others point to it', async () => {
    const atA = await logIn(a, SELLER);
    const atB = on(b, atA);
    const sessionA = await openSession(atA);
    const sessionB = await openSession(atB);
    const copy = invoice();
    const sent = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const [actor, session] = index % 2 === 0 ? ([atA, sessionA] as const) : ([atB, sessionB] as const);
        return { actor, session, reference: await send(actor, session, copy) };
      }),
    );
    await settle();
    const seen = await Promise.all(sent.map((s) => invoiceStatus(s.actor, s.session, s.reference)));
    const [winner, ...more] = seen.filter((s) => s.status.code === 200);
    expect(more).toEqual([]);
    const losers = seen.filter((s) => s !== winner);
    expect(losers.map((s) => s.status.code)).toEqual(losers.map(() => 440));
    expect(new Set(losers.map((s) => s.status.extensions?.originalSvcNumber))).toEqual(new Set([winner?.svcNumber]));
  });

  test('a session opened at one node can be closed once, whoever asks', async () => {
    const atA = await logIn(a, SELLER);
    const session = await openSession(atA);
    await send(atA, session, invoice());
    const ends = await Promise.allSettled([closeSession(atA, session), closeSession(on(b, atA), session)]);
    expect(ends.some((end) => end.status === 'fulfilled')).toBe(true);
    await settle();
    expect((await sessionStatus(on(b, atA), session)).status.code).toBe(200);
  });

  test('keys rotated by an operator are published by both nodes without a restart, and work at both', async () => {
    const database = openDatabase(a.databaseUrl, { poolSize: 1 });
    try {
      const tools = {
        database,
        masterKey: masterKeyFrom(MASTER_KEY, 'the test', systemRandom),
        clock: a.clock,
        random: systemRandom,
      };
      const before = await transportTo(b).call(auth.listPublicKeyCertificates, {});
      await rotateKey(tools, { purpose: 'SymmetricKeyEncryption' });
      const published = async (node: TestService) =>
        (await transportTo(node).call(auth.listPublicKeyCertificates, {})).map((k) => k.publicKeyId).sort();
      await expect.poll(() => published(a), { timeout: 20_000 }).toHaveLength(before.length + 1);
      await expect.poll(() => published(b), { timeout: 20_000 }).toEqual(await published(a));
      const actor = await logIn(b, SELLER);
      const session = await openSession(actor);
      const reference = await send(on(a, actor), session, invoice());
      await settle();
      expect((await invoiceStatus(actor, session, reference)).status.code).toBe(200);
    } finally {
      await database.close();
    }
  }, 60_000);
});
