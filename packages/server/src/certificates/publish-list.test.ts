import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CertificatesBench, certificatesBench, seal } from '../../test/support/certificates-bench.ts';
import { hasOpenssl, type OpensslFolder, opensslFolder } from '../../test/support/openssl.ts';
import { sql } from '../platform/db/sql.ts';
import { rotateKey } from '../platform/keys/rotate-key.ts';
import { withdrawKey } from '../platform/keys/withdraw-key.ts';
import { authorityOf } from './authority.ts';
import { downloadAuthority, downloadList } from './download.ts';
import { currentList } from './publish-list.ts';
import { retrieve } from './retrieve.ts';
import { revoke } from './revoke.ts';

let bench: CertificatesBench;
let folder: OpensslFolder;
beforeAll(async () => {
  bench = await certificatesBench();
  folder = opensslFolder();
});
afterAll(() => folder.remove());

const HOUR = 3_600_000;
const caller = () => bench.login({ type: 'Nip', value: '5265877635' }, seal('5265877635'));
const authority = () => authorityOf(bench.keys.signingKey('CertificateAuthority'));
const at = () => ['-attime', String(Math.floor(bench.clock.now() / 1000))];

async function list(id = authority().id): Promise<Buffer> {
  const answer = await downloadList(bench.deps, `${id.toLowerCase()}.crl`);
  if (!('bytes' in answer)) throw new Error('there is no list');
  return answer.bytes as Buffer;
}

async function listText(id?: string): Promise<string> {
  folder.write('list.der', await list(id));
  folder.run('crl', '-inform', 'DER', '-in', 'list.der', '-out', 'list.pem');
  return folder.run('crl', '-in', 'list.pem', '-noout', '-text');
}

async function leaf(serial: string, name: string): Promise<string> {
  const { certificates } = await retrieve(bench.deps, caller(), [serial]);
  folder.write(`${name}.der`, Buffer.from(certificates[0]?.certificate ?? '', 'base64'));
  folder.run('x509', '-inform', 'DER', '-in', `${name}.der`, '-out', `${name}.pem`);
  return `${name}.pem`;
}

describe.runIf(hasOpenssl)('openssl (skipped when it is not installed)', () => {
  it('verifies an empty list, and one with every reason; revoked certificates fail by it', async () => {
    const ca = await downloadAuthority(bench.deps, `${authority().id.toLowerCase()}.crt`);
    folder.write('ca.der', (ca as { bytes: Buffer }).bytes);
    folder.run('x509', '-inform', 'DER', '-in', 'ca.der', '-out', 'ca.pem');
    const empty = await listText();
    expect(empty).toContain('No Revoked Certificates.');
    expect(empty).toMatch(/X509v3 CRL Number:\s+1\s/);
    expect(folder.judge('crl', '-in', 'list.pem', '-noout', '-CAfile', 'ca.pem', '-verify').said).toContain(
      'verify OK',
    );

    const [kept, plain, replaced, leaked] = [
      await bench.obtain(caller()),
      await bench.obtain(caller()),
      await bench.obtain(caller()),
      await bench.obtain(caller()),
    ];
    bench.clock.advance(HOUR);
    await revoke(bench.deps, caller(), plain);
    await revoke(bench.deps, caller(), replaced, 'Superseded');
    await revoke(bench.deps, caller(), leaked, 'KeyCompromise');
    const text = await listText();
    expect(text).toContain('Version 2 (0x1)');
    expect(text).toContain('Signature Algorithm: ecdsa-with-SHA256');
    expect(text).toContain('Last Update: Nov 16 12:00:00 2026 GMT');
    expect(text).toContain('Next Update: Nov 17 12:00:00 2026 GMT');
    const entries = text.split('Serial Number: ').slice(1);
    const found = Object.fromEntries(
      entries.map((entry) => [entry.slice(0, 16), /CRL Reason Code:\s+([\w ]+?)\s*\n/.exec(entry)?.[1]]),
    );
    expect(found).toEqual({ [plain]: undefined, [replaced]: 'Superseded', [leaked]: 'Key Compromise' });
    expect(folder.judge('crl', '-in', 'list.pem', '-noout', '-CAfile', 'ca.pem', '-verify').said).toContain(
      'verify OK',
    );

    const check = (pem: string) =>
      folder.judge('verify', '-crl_check', '-CAfile', 'ca.pem', '-CRLfile', 'list.pem', ...at(), pem);
    expect(check(await leaf(kept, 'kept')).ok).toBe(true);
    expect(check(await leaf(leaked, 'leaked')).said).toContain('certificate revoked');
  });

  it('verifies the lists of an old and of a new authority, each with its own certificates', async () => {
    const old = authority();
    const serial = await bench.obtain(caller());
    await rotateKey(bench.keyTools, { purpose: 'CertificateAuthority' });
    await bench.keys.refresh();
    const second = await bench.obtain(caller());
    await revoke(bench.deps, caller(), serial);
    await revoke(bench.deps, caller(), second);
    for (const [{ id, certificate }, has, lacks] of [
      [old, serial, second],
      [authority(), second, serial],
    ] as const) {
      folder.write('one.der', certificate.der);
      folder.run('x509', '-inform', 'DER', '-in', 'one.der', '-out', 'one.pem');
      const text = await listText(id);
      expect(text).toContain(`Serial Number: ${has}`);
      expect(text).not.toContain(`Serial Number: ${lacks}`);
      expect(folder.judge('crl', '-in', 'list.pem', '-noout', '-CAfile', 'one.pem', '-verify').said).toContain('OK');
    }
  });
});

describe('a list', () => {
  it('stays the same while nothing changes, and is made anew by a revocation and before it ends', async () => {
    const first = await list();
    bench.clock.advance(6 * HOUR);
    expect((await list()).equals(first)).toBe(true);
    const serial = await bench.obtain(caller());
    await revoke(bench.deps, caller(), serial);
    // By the job, without anybody asking.
    await bench.runner.drain();
    const second = await list();
    expect(second.equals(first)).toBe(false);
    expect(second.includes(Buffer.from(serial, 'hex'))).toBe(true);
    bench.clock.advance(12 * HOUR);
    expect((await list()).equals(second)).toBe(true);
    bench.clock.advance(1);
    expect((await list()).equals(second)).toBe(false);
  });

  it('drops what has ended anyway', async () => {
    const serial = await bench.obtain(caller());
    await revoke(bench.deps, caller(), serial);
    expect((await list()).includes(Buffer.from(serial, 'hex'))).toBe(true);
    bench.clock.advance(2 * 366 * 24 * HOUR);
    expect((await list()).includes(Buffer.from(serial, 'hex'))).toBe(false);
  });

  it('made by several at once has a number of its own each, and the last one stays', async () => {
    const serials: string[] = [];
    for (let i = 0; i < 3; i += 1) serials.push(await bench.obtain(caller()));
    await Promise.all(serials.map((serial) => revoke(bench.deps, caller(), serial)));
    await Promise.all(Array.from({ length: 5 }, () => currentList(bench.deps, authority().id)));
    const final = await list();
    for (const serial of serials) expect(final.includes(Buffer.from(serial, 'hex'))).toBe(true);
  });

  it.each([
    'x.crl',
    `${'00'.repeat(20)}.crl`,
    `${'00'.repeat(20)}`,
    '..%2f.crl',
  ])('named %s does not exist', async (name) => {
    expect(await downloadList(bench.deps, name)).toEqual({ emptyStatus: 404 });
    expect(await downloadAuthority(bench.deps, name.replace('crl', 'crt'))).toEqual({ emptyStatus: 404 });
  });

  it('of a withdrawn authority stays as it was last', async () => {
    const { id } = authority();
    const last = await list(id);
    const [key] = await bench.db.query<{ id: string }>(
      sql`select id from service_key where purpose = 'CertificateAuthority' order by generation desc limit 1`,
    );
    await withdrawKey(bench.keyTools, key?.id as string);
    await bench.keys.refresh();
    expect(authority().id).not.toBe(id);
    bench.clock.advance(48 * HOUR);
    expect((await list(id)).equals(last)).toBe(true);
  });
});
