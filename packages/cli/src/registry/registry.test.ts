import { CONTEXT_LIMITS, RATE_LIMITS } from '@kwit/contract/limits';
import { attachmentsAllowed } from '@kwit/server/permissions/attachment-consent';
import {
  isBlocked,
  isSubjectDeceased,
  linkedIdentifiers,
  permissionsOf,
} from '@kwit/server/permissions/subject-registry';
import { ManualClock } from '@kwit/server/platform/clock';
import { systemRandom } from '@kwit/server/platform/random';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../server/test/support/database.ts';
import { Misuse } from '../run-command.ts';
import { runRegistry } from './registry.ts';

const clock = new ManualClock('2026-03-01T12:00:00Z');
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

async function registry(args: string[], checkDigits = false): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const io = { out: (text: string) => out.push(text), err: (text: string) => err.push(text) };
  const code = await runRegistry(args, { database, clock, random: systemRandom, io, checkDigits });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

const nip = (value: string) => ({ type: 'Nip', value }) as const;
const rolesOf = async (value: string) => (await permissionsOf(nip(value), nip(value), clock.now(), database)).roles;

describe('kwit registry', () => {
  it('enters an entity with its subunits, and ends them', async () => {
    const [parent, child] = ['5265877635', '1111111111'];
    const entered = await registry([
      'subject',
      'add',
      parent,
      '--type',
      'jst',
      '--description',
      'Gmina Nowa',
      '--subunit',
      `${child}=Szkoła nr 1`,
    ]);
    expect(entered).toMatchObject({ code: 0, err: '' });
    clock.advance(1000);
    expect(await rolesOf(parent)).toEqual(['LocalGovernmentUnit']);
    expect(await rolesOf(child)).toEqual(['LocalGovernmentSubUnit']);
    expect((await registry(['show', child])).out).toContain(`role LocalGovernmentSubUnit under ${parent}`);

    const again = await registry(['subject', 'add', parent, '--type', 'JST', '--description', 'Gmina Nowa']);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('exists already') });

    expect((await registry(['subject', 'remove', parent])).code).toBe(0);
    clock.advance(1000);
    expect(await rolesOf(child)).toEqual([]);
    expect((await registry(['show', parent])).out).toContain('nothing entered');
  });

  it('enters a person whose NIP and PESEL are one, and ends it', async () => {
    const [own, pesel] = ['2222222222', '44051401359'];
    const added = await registry([
      'person',
      'add',
      own,
      pesel,
      '--description',
      'Kancelaria',
      '--bailiff',
      '--from',
      '2026-01-01T00:00:00Z',
    ]);
    expect(added.code).toBe(0);
    expect(await linkedIdentifiers({ type: 'Pesel', value: pesel }, clock.now(), database)).toContainEqual(nip(own));
    expect(await rolesOf(own)).toEqual(['CourtBailiff']);
    expect(await isSubjectDeceased(nip(own), clock.now(), database)).toBe(false);
    await registry(['person', 'remove', own]);
    clock.advance(1000);
    expect(await linkedIdentifiers(nip(own), clock.now(), database)).toEqual([nip(own)]);
    await registry(['person', 'add', own, pesel, '--description', 'Kancelaria', '--deceased']);
    clock.advance(1000);
    expect(await isSubjectDeceased(nip(own), clock.now(), database)).toBe(true);
  });

  it('enters consents to attachments, and their end', async () => {
    const seller = '3333333333';
    const allowed = async (at: number) => (await attachmentsAllowed(database, [seller], at)).has(seller);
    await registry(['attachment', 'allow', seller]);
    expect(await allowed(clock.now())).toBe(true);
    await registry(['attachment', 'revoke', seller, '--on', '2026-04-01']);
    expect(await allowed(Date.parse('2026-03-31T23:59:59Z'))).toBe(true);
    expect(await allowed(Date.parse('2026-04-01T00:00:00Z'))).toBe(false);
    await registry(['attachment', 'revoke', seller]);
    expect(await allowed(clock.now())).toBe(false);
  });

  it('blocks and unblocks contexts of every type', async () => {
    for (const [type, value] of [
      ['Nip', '4444444444'],
      ['InternalId', '4444444444-12345'],
      ['NipVatUe', '4444444444-DE123456789'],
      ['PeppolId', 'PPL123456'],
    ] as const) {
      const blocked = () => isBlocked({ type, value }, clock.now(), database);
      expect(await registry(['context', 'block', value])).toMatchObject({ code: 0 });
      expect(await blocked()).toBe(true);
      expect(await registry(['context', 'unblock', `${type}:${value}`])).toMatchObject({ code: 0 });
      expect(await blocked()).toBe(false);
    }
  });

  it('grants as the paper form does, and revokes', async () => {
    const [context, pesel] = ['5555555555', '02070803628'];
    const held = async () =>
      (await permissionsOf({ type: 'Pesel', value: pesel }, nip(context), clock.now(), database)).permissions;
    const args = ['permission', 'grant', context, pesel, '--permission', 'InvoiceRead', '--permission', 'InvoiceWrite'];
    expect(await registry([...args, '--description', 'Formularz z dnia 1 marca'])).toMatchObject({ code: 0, err: '' });
    expect([...(await held())].sort()).toEqual(['InvoiceRead', 'InvoiceWrite']);
    clock.advance(1000);
    await registry(['permission', 'revoke', context, `Pesel:${pesel}`]);
    expect(await held()).toEqual([]);
  });

  it('sets limits one by one, keeps the others, and restores them', async () => {
    const context = 'Nip:6666666666';
    const shown = async () => JSON.parse((await registry(['limits', 'show', context, '--json'])).out);
    expect(await shown()).toEqual({
      sessions: CONTEXT_LIMITS,
      certificates: { maxEnrollments: 300, maxCertificates: 100 },
      requests: RATE_LIMITS,
    });
    const set = ['limits', 'set', context, '--online-invoices', '500', '--certificates', '7'];
    expect(await registry([...set, '--requests', 'invoicesend=20/60/360'])).toMatchObject({ code: 0, err: '' });
    await registry(['limits', 'set', context, '--batch-mb', '5', '--online-mb', '2']);
    expect(await shown()).toEqual({
      sessions: {
        onlineSession: { maxInvoices: 500, maxInvoiceSizeInMB: 2, maxInvoiceWithAttachmentSizeInMB: 3 },
        batchSession: { maxInvoices: 10_000, maxInvoiceSizeInMB: 5, maxInvoiceWithAttachmentSizeInMB: 3 },
      },
      certificates: { maxEnrollments: 300, maxCertificates: 7 },
      requests: { ...RATE_LIMITS, invoiceSend: { perSecond: 20, perMinute: 60, perHour: 360 } },
    });
    await registry(['limits', 'restore', context, '--sessions']);
    expect((await shown()).sessions).toEqual(CONTEXT_LIMITS);
    expect((await shown()).certificates.maxCertificates).toBe(7);
    await registry(['limits', 'restore', context]);
    expect((await shown()).requests).toEqual(RATE_LIMITS);
  });

  it('writes nothing of a command of which a part is wrong', async () => {
    const args = ['limits', 'set', '7777777777', '--online-invoices', '5', '--requests', 'other=1000/1/1'];
    await expect(registry(args)).rejects.toThrow("'rateLimits.other.perSecond'");
    expect((await registry(['limits', 'show', '7777777777'])).out).toMatch(/onlineSession maxInvoices +10000/);
  });

  it('shuts callers out, lists them, and admits them again', async () => {
    expect((await registry(['gateway', 'list'])).out).toBe('Nobody is shut out.');
    const first = await registry(['gateway', 'block', '203.0.113.0/24', '--reason', 'atak']);
    expect(first).toMatchObject({ code: 0, err: '' });
    const incident = /incident ([0-9a-f-]{36})\./.exec(first.out)?.[1];
    // Again: another reason, the same incident.
    const again = await registry(['gateway', 'block', '203.0.113.0/24', '--reason', 'nadal']);
    expect(again.out).toContain(incident);
    await registry(['gateway', 'block', 'Nip:8888888888', '--reason', 'klient w pętli']);
    const { out } = await registry(['gateway', 'list']);
    expect(out).toMatch(new RegExp(`^Address 203.0.113.0/24 +2026-03-01T\\S+ +${incident} +nadal$`, 'm'));
    expect(out).toMatch(/^Nip 8888888888 .* klient w pętli$/m);
    expect((await registry(['gateway', 'admit', '203.0.113.0/24'])).code).toBe(0);
    expect((await registry(['gateway', 'admit', '203.0.113.0/24'])).code).toBe(1);
    expect((await registry(['gateway', 'admit', '8888888888'])).code).toBe(0);
    expect((await registry(['gateway', 'list'])).out).toBe('Nobody is shut out.');
  });

  it('verifies check digits where the service does', async () => {
    await expect(registry(['attachment', 'allow', '1234567890'], true)).rejects.toThrow('wrong check digit');
    expect((await registry(['attachment', 'allow', '5265877635'], true)).code).toBe(0);
    expect((await registry(['attachment', 'allow', '1234567890'], false)).code).toBe(0);
  });

  it.each([
    ['nothing', []],
    ['an unknown register', ['land', 'add']],
    ['half a command', ['subject']],
    ['a name every object has', ['constructor']],
    ['no NIP', ['subject', 'add', '--type', 'JST', '--description', 'Gmina Nowa']],
    ['a wrong NIP', ['attachment', 'allow', '123']],
    ['a PESEL for a NIP', ['attachment', 'allow', '44051401359']],
    ['an unknown type', ['subject', 'add', '5265877635', '--type', 'King', '--description', 'Gmina Nowa']],
    ['no description', ['person', 'add', '5265877635', '44051401359']],
    ['a subunit without words', ['subject', 'add', '5265877635', '--type', 'JST', '--subunit', '1111111111']],
    ['a bad day', ['attachment', 'revoke', '5265877635', '--on', 'soon']],
    ['an unknown permission', ['permission', 'grant', '5265877635', '44051401359', '--permission', 'Fly']],
    ['no permission', ['permission', 'grant', '5265877635', '44051401359', '--description', 'Formularz']],
    ['limits of nothing', ['limits', 'set', '5265877635']],
    ['a limit that is no number', ['limits', 'set', '5265877635', '--online-mb', 'many']],
    ['a limit above the highest', ['limits', 'set', '5265877635', '--online-mb', '6']],
    ['an unknown group', ['limits', 'set', '5265877635', '--requests', 'all=1/1/1']],
    ['a block without reason', ['gateway', 'block', '5265877635']],
    ['a block of nobody', ['gateway', 'block', '203.0.113.0/33', '--reason', 'x']],
    ['sessions of a person', ['limits', 'set', '44051401359', '--online-mb', '1']],
    ['certificates of a unit', ['limits', 'set', '5265877635-12345', '--certificates', '1']],
  ])('does not take %s', async (_, args) => {
    await expect(registry(args)).rejects.toThrow(Misuse);
  });
});
