import { beforeAll, describe, expect, it } from 'vitest';
import { fingerprintCertificate, personCertificate } from '../../../client/src/test-certificates.ts';
import { type AuthBench, authBench, nip, refusalOf, START, seal, someNip } from '../../test/support/auth-bench.ts';
import { sql } from '../platform/db/sql.ts';

const valid = { validFrom: START - 3_600_000 };
const person = (pesel: string) => personCertificate({ givenName: 'Jan', surname: 'Kowalski', pesel }, valid);

let bench: AuthBench;
beforeAll(async () => {
  bench = await authBench();
});

const make = (token: string, body: object = {}) =>
  bench.call('tokens.generate', {
    token,
    body: { permissions: ['InvoiceRead', 'InvoiceWrite'], description: 'Token testowy', ...body },
  });
const read = (token: string, referenceNumber: string) =>
  bench.call('tokens.status', { token, params: { referenceNumber } });
const revoke = (token: string, referenceNumber: string) =>
  bench.call('tokens.revoke', { token, params: { referenceNumber } });

describe('making a token', () => {
  it('shows the secret once, goes from Pending to Active, and stores only a hash', async () => {
    const x = someNip();
    const { access } = await bench.login(seal(x), nip(x));
    const made = await make(access);
    expect(made.token).toMatch(new RegExp(`^${made.referenceNumber}\\|nip-${x}\\|[0-9a-f]{64}$`));
    expect(made.token.length).toBeLessThanOrEqual(160);
    expect(await read(access, made.referenceNumber)).toEqual({
      referenceNumber: made.referenceNumber,
      authorIdentifier: { type: 'Nip', value: x },
      contextIdentifier: { type: 'Nip', value: x },
      description: 'Token testowy',
      requestedPermissions: ['InvoiceRead', 'InvoiceWrite'],
      dateCreated: '2026-03-02T10:00:00.123+00:00',
      status: 'Pending',
      statusDetails: [],
    });
    await bench.work();
    expect(await read(access, made.referenceNumber)).toMatchObject({ status: 'Active' });
    const secret = made.token.split('|')[2] as string;
    const rows = await bench.db.query<{ row: string }>(
      sql`select system_token::text || encode(secret_hash, 'escape') as row from system_token where reference = ${made.referenceNumber}`,
    );
    expect(rows[0]?.row).not.toContain(secret);
  });

  it('collapses doubled permissions', async () => {
    const x = someNip();
    const { access } = await bench.login(seal(x), nip(x));
    const made = await make(access, { permissions: ['InvoiceRead', 'invoiceread', 'InvoiceRead'] });
    expect(await read(access, made.referenceNumber)).toMatchObject({ requestedPermissions: ['InvoiceRead'] });
  });

  it('refuses bad bodies with 21405', async () => {
    const x = someNip();
    const { access } = await bench.login(seal(x), nip(x));
    for (const body of [
      { description: 'abcd' },
      { description: 'x'.repeat(257) },
      { permissions: [] },
      { permissions: undefined },
      { permissions: ['PeppolId'] },
      { permissions: ['Owner'] },
    ])
      expect(await refusalOf(make(access, body)), JSON.stringify(body)).toMatch(/^21405/);
  });

  it('refuses permissions the caller does not hold: 26001 names them', async () => {
    const x = someNip();
    bench.registries.grant({ type: 'Pesel', value: '88102341294' }, nip(x), 'InvoiceRead');
    const reader = await bench.login(person('88102341294'), nip(x));
    expect(await refusalOf(make(reader.access))).toBe('26001: Brakujące uprawnienia: InvoiceWrite.');
    const owner = await bench.login(seal(x), nip(x));
    expect(await refusalOf(make(owner.access, { permissions: ['EnforcementOperations'] }))).toBe(
      '26001: Brakujące uprawnienia: EnforcementOperations.',
    );
    bench.registries.bailiffs.add(x);
    const bailiff = await bench.login(seal(x), nip(x));
    await expect(make(bailiff.access, { permissions: ['EnforcementOperations'] })).resolves.toBeDefined();
  });

  it('is closed to contexts other than Nip and InternalId: 26002', async () => {
    const certificate = fingerprintCertificate({ givenName: 'Hans', surname: 'Meier' }, valid);
    const subject = { type: 'Fingerprint', value: certificate.fingerprint } as const;
    const eu = { type: 'NipVatUe', value: '5265877635-DE123456789' } as const;
    bench.registries.grant(subject, eu, 'InvoiceRead');
    const login = await bench.login(certificate, eu, { subjectIdentifierType: 'certificateFingerprint' });
    expect(await refusalOf(make(login.access, { permissions: ['InvoiceRead'] }))).toBe(
      '26002: Obecny typ kontekstu: NipVatUe. Dozwolone typy: Nip, InternalId.',
    );
    const unit = { type: 'InternalId', value: '5265877635-12345' } as const;
    bench.registries.grant({ type: 'Pesel', value: '88102341294' }, unit, 'CredentialsManage');
    const manager = await bench.login(person('88102341294'), unit);
    const made = await make(manager.access, { permissions: ['CredentialsManage'] });
    expect(made.token).toContain('|internalId-5265877635-12345|');
  });

  it('is closed to token logins', async () => {
    const x = someNip();
    const { access } = await bench.login(seal(x), nip(x));
    const made = await make(access);
    await bench.work();
    const login = await bench.loginWithToken(made.token, nip(x));
    expect(await refusalOf(make(login.access))).toBe(
      '403 auth-method-not-allowed {"authenticationMethodCategory":"Token"}',
    );
  });

  it('fails when the author lost the permissions before activation', async () => {
    const x = someNip();
    const { access } = await bench.login(seal(x), nip(x));
    const made = await make(access);
    bench.registries.grant({ type: 'Nip', value: x }, nip(x));
    await bench.work();
    expect(await read(access, made.referenceNumber)).toMatchObject({
      status: 'Failed',
      statusDetails: ['Brakujące uprawnienia: InvoiceRead, InvoiceWrite.'],
    });
    bench.registries.grant({ type: 'Nip', value: x }, nip(x), 'InvoiceRead');
    const init = await bench.submitToken(made.token, nip(x));
    await bench.work();
    expect((await bench.status(init)).status).toMatchObject({ code: 450, details: ['Token nieaktywny'] });
  });
});

describe('the list', () => {
  it('filters by status, description and author, newest first, page by page', async () => {
    const x = someNip();
    const { access } = await bench.login(seal(x), nip(x));
    const list = (query: Record<string, unknown> = {}, continuationToken?: string) =>
      bench.call('tokens.list', { token: access, query, ...(continuationToken && { continuationToken }) });
    const made: string[] = [];
    for (let i = 1; i <= 12; i++) {
      bench.clock.advance(i % 3 === 0 ? 0 : 1);
      made.unshift((await make(access, { description: `Token - ${i} ŻÓŁĆ%_` })).referenceNumber);
    }
    await bench.work();
    await revoke(access, made[0] as string);
    const first = await list();
    const second = await list({}, first.continuationToken);
    expect(first.tokens).toHaveLength(10);
    expect(second).not.toHaveProperty('continuationToken');
    const seen = [...first.tokens, ...second.tokens].map(({ referenceNumber }) => referenceNumber);
    expect(new Set(seen)).toEqual(new Set(made));
    const dates = [...first.tokens, ...second.tokens].map(({ dateCreated }) => dateCreated);
    expect(dates).toEqual([...dates].sort().reverse());

    expect((await list({ description: 'TOKEN - 2' })).tokens).toHaveLength(1);
    expect((await list({ description: 'żółć' })).tokens).toHaveLength(10);
    expect((await list({ description: '%_%' })).tokens).toHaveLength(0);
    expect((await list({ description: '' })).tokens).toHaveLength(10);
    expect((await list({ status: ['Active', 'Pending'], pageSize: '100' })).tokens).toHaveLength(11);
    expect((await list({ status: ['revoking'] })).tokens).toMatchObject([{ referenceNumber: made[0] }]);
    expect((await list({ authorIdentifier: x.slice(2, 9) })).tokens).toHaveLength(10);
    expect((await list({ authorIdentifier: x, authorIdentifierType: 'Pesel' })).tokens).toHaveLength(0);
    expect(await refusalOf(list({ description: 'ab' }))).toMatch(/^21405/);
    expect(await refusalOf(list({ authorIdentifierType: 'PeppolId' }))).toMatch(/^21405/);
    expect(await refusalOf(list({ pageSize: '9' }))).toMatch(/^21405/);
    expect(await refusalOf(list({}, 'garbage'))).toMatch(/^21418/);
    // A token of one list is worth nothing for another one.
    expect(await refusalOf(list({ status: ['Active'] }, first.continuationToken))).toMatch(/^21418/);
    bench.clock.set(START);
  });
});

describe('who sees and revokes', () => {
  it('a token login without credentials rights sees itself, reads its siblings, revokes itself only', async () => {
    const x = someNip();
    const owner = await bench.login(seal(x), nip(x));
    const own = await make(owner.access);
    const sibling = await make(owner.access);
    bench.registries.grant({ type: 'Pesel', value: '90010112345' }, nip(x), 'InvoiceRead');
    const stranger = await bench.login(person('90010112345'), nip(x));
    const foreign = await make(stranger.access, { permissions: ['InvoiceRead'] });
    await bench.work();
    const { access } = await bench.loginWithToken(own.token, nip(x));
    const { tokens } = await bench.call('tokens.list', { token: access });
    expect(tokens).toMatchObject([{ referenceNumber: own.referenceNumber }]);
    await expect(read(access, own.referenceNumber)).resolves.toMatchObject({ status: 'Active' });
    await expect(read(access, sibling.referenceNumber)).resolves.toMatchObject({ status: 'Active' });
    expect(await refusalOf(read(access, foreign.referenceNumber))).toMatch(/^403 insufficient-resource-access/);
    expect(await refusalOf(revoke(access, sibling.referenceNumber))).toMatch(/^403 insufficient-resource-access/);
    await revoke(access, own.referenceNumber);
    // Its access token lives on, also for reading the token it has just revoked.
    await expect(read(access, own.referenceNumber)).resolves.toMatchObject({ status: 'Revoking' });
  });

  it('others see what they authored, a bound NIP and PESEL being one author; credentials rights widen the view', async () => {
    const x = someNip();
    const context = nip(someNip());
    bench.registries.links.set(x, '75010112345');
    bench.registries.grant({ type: 'Nip', value: x }, context, 'InvoiceRead');
    bench.registries.grant({ type: 'Pesel', value: '80010112345' }, context, 'InvoiceRead');
    bench.registries.grant({ type: 'Pesel', value: '81010112345' }, context, 'CredentialsRead');
    const byNip = await bench.login(seal(x), context);
    const made = await make(byNip.access, { permissions: ['InvoiceRead'] });
    const list = async (token: string) => (await bench.call('tokens.list', { token })).tokens.length;
    const byPesel = await bench.login(person('75010112345'), context);
    const stranger = await bench.login(person('80010112345'), context);
    const auditor = await bench.login(person('81010112345'), context);
    const owner = await bench.login(seal(context.value), context);
    expect(await Promise.all([byNip, byPesel, stranger, auditor, owner].map(({ access }) => list(access)))).toEqual([
      1, 1, 0, 1, 1,
    ]);
    expect(await refusalOf(read(stranger.access, made.referenceNumber))).toMatch(/^403/);
    await expect(read(auditor.access, made.referenceNumber)).resolves.toBeDefined();
    expect(await refusalOf(revoke(auditor.access, made.referenceNumber))).toMatch(/^403/);
    expect(await refusalOf(revoke(stranger.access, made.referenceNumber))).toMatch(/^403/);
    await revoke(byPesel.access, made.referenceNumber);
    await revoke(owner.access, made.referenceNumber);
  });

  it('revoking goes through Revoking to Revoked, and again is fine', async () => {
    const x = someNip();
    const { access } = await bench.login(seal(x), nip(x));
    const { referenceNumber } = await make(access);
    await revoke(access, referenceNumber);
    expect(await read(access, referenceNumber)).toMatchObject({ status: 'Revoking' });
    await bench.work();
    expect(await read(access, referenceNumber)).toMatchObject({ status: 'Revoked' });
    await revoke(access, referenceNumber);
    expect(await read(access, referenceNumber)).toMatchObject({ status: 'Revoked' });
  });

  it('unknown numbers and those of other contexts: 21405 naming them; other lengths as well', async () => {
    const [x, y] = [someNip(), someNip()];
    const { access } = await bench.login(seal(x), nip(x));
    const { referenceNumber } = await make(access);
    const other = await bench.login(seal(y), nip(y));
    for (const operation of [read, revoke]) {
      expect(await refusalOf(operation(other.access, referenceNumber))).toContain(referenceNumber);
      expect(await refusalOf(operation(other.access, referenceNumber))).toMatch(/^21405/);
      expect(await refusalOf(operation(access, 'x'.repeat(36)))).toMatch(/^21405/);
      expect(await refusalOf(operation(access, 'x'.repeat(35)))).toMatch(/^21405/);
    }
  });
});
