import { createHash, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { authBench, START } from '../../test/support/auth-bench.ts';

it('publishes keys whose ids follow from their bytes, a valid one of each usage', async () => {
  const bench = await authBench();
  const keys = await bench.call('security.publicKeyCertificates');
  expect(Array.isArray(keys)).toBe(true);
  for (const key of keys) {
    const der = Buffer.from(key.certificate, 'base64');
    const certificate = new X509Certificate(der);
    const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
    expect(key.certificateId).toBe(createHash('sha256').update(der).digest('base64'));
    expect(key.publicKeyId).toBe(createHash('sha256').update(spki).digest('base64'));
    expect(certificate.subject).toContain('CN=Ministerstwo Finansów');
    expect(Date.parse(key.validFrom)).toBe(certificate.validFromDate.getTime());
    expect(Date.parse(key.validTo)).toBe(certificate.validToDate.getTime());
  }
  const usable = keys.filter(
    (key: { validFrom: string; validTo: string }) =>
      Date.parse(key.validFrom) <= START && START < Date.parse(key.validTo),
  );
  expect(usable.map((key: { usage: string[] }) => key.usage[0]).sort()).toEqual([
    'SvcTokenEncryption',
    'SymmetricKeyEncryption',
  ]);
});
