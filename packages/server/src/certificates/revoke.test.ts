import { beforeAll, describe, expect, it } from 'vitest';
import { refusalOf } from '../../test/support/auth-bench.ts';
import { type CertificatesBench, certificatesBench, seal } from '../../test/support/certificates-bench.ts';
import { withdrawKey } from '../platform/keys/withdraw-key.ts';
import { authorityOf } from './authority.ts';
import { currentList } from './publish-list.ts';
import { query } from './query.ts';
import { createRegistry } from './registry.ts';
import { revoke } from './revoke.ts';

let bench: CertificatesBench;
beforeAll(async () => {
  bench = await certificatesBench();
});

const caller = () => bench.login({ type: 'Nip', value: '5265877635' }, seal('5265877635'));
const statuses = async (status?: 'Active' | 'Blocked' | 'Revoked') =>
  (await query(bench.deps, caller(), status ? { status } : {}, {})).certificates.map((c) => c.status);

describe('a certificate under revocation', () => {
  it('is blocked for the configured time, unusable and on the list from the first moment', async () => {
    const serial = await bench.obtain(caller());
    const slow = { ...bench.deps, revocationDelayMs: 60_000 };
    const registry = createRegistry(bench.deps);
    await revoke(slow, caller(), serial, 'KeyCompromise');
    expect(await statuses()).toEqual(['Blocked']);
    expect(await statuses('Blocked')).toEqual(['Blocked']);
    expect(await statuses('Revoked')).toEqual([]);
    expect((await registry.internalCertificate(serial, bench.db))?.status).toBe('Blocked');
    const { id } = authorityOf(bench.keys.signingKey('CertificateAuthority'));
    expect((await currentList(bench.deps, id))?.includes(Buffer.from(serial, 'hex'))).toBe(true);
    expect(await refusalOf(revoke(slow, caller(), serial))).toMatch(/^25009: .*Blocked\.$/);
    bench.clock.advance(60_000);
    expect(await statuses()).toEqual(['Revoked']);
    expect(await statuses('Blocked')).toEqual([]);
  });

  it('never comes back, and is not vouched for after its authority was withdrawn', async () => {
    const serial = await bench.obtain(caller());
    const registry = createRegistry(bench.deps);
    expect(await registry.internalCertificate(serial, bench.db)).toMatchObject({
      type: 'Authentication',
      status: 'Active',
      subject: { type: 'Nip', value: '5265877635' },
      fingerprint: expect.stringMatching(/^[0-9A-F]{64}$/),
    });
    await withdrawKey(bench.keyTools, 'CertificateAuthority');
    await bench.keys.refresh();
    expect(await registry.internalCertificate(serial, bench.db)).toBeUndefined();
    expect(await registry.registeredCertificate(serial, bench.db)).toMatchObject({ status: 'Revoked' });
    // The new authority goes on.
    expect((await registry.internalCertificate(await bench.obtain(caller()), bench.db))?.status).toBe('Active');
  });
});
