import { describe, expect, test } from 'vitest';
import { chooseCertificate, type PublicKeyCertificate } from './public-keys.ts';

const entry = (
  certificateId: string,
  validFrom: string,
  validTo: string,
  usage: PublicKeyCertificate['usage'] = ['SvcTokenEncryption'],
) => ({
  certificate: '',
  certificateId,
  publicKeyId: `key of ${certificateId}`,
  validFrom,
  validTo,
  usage,
});

const now = Date.parse('2026-06-01T00:00:00Z');
const chosen = (...list: PublicKeyCertificate[]) => chooseCertificate(list, 'SvcTokenEncryption', now)?.certificateId;

describe('the key to encrypt with', () => {
  const old = entry('old', '2025-01-01T00:00:00Z', '2027-01-01T00:00:00Z');
  const current = entry('current', '2026-05-01T00:00:00+00:00', '2028-05-01T00:00:00Z');
  const coming = entry('coming', '2026-06-01T00:00:01Z', '2028-06-01T00:00:00Z');
  const over = entry('over', '2026-05-20T00:00:00Z', '2026-06-01T00:00:00Z');
  const other = entry('other', '2026-05-30T00:00:00Z', '2028-01-01T00:00:00Z', ['SymmetricKeyEncryption']);

  test('is valid now, and of those the one with the latest beginning, wherever it stands in the list', () => {
    expect(chosen(old, coming, over, other, current)).toBe('current');
    expect(chosen(current, old)).toBe('current');
  });

  test('the first moment counts, the last one does not', () => {
    expect(chosen(old, entry('now', '2026-06-01T00:00:00Z', '2028-01-01T00:00:00Z'))).toBe('now');
    expect(chosen(old, over)).toBe('old');
  });

  test('compares moments, not texts', () => {
    const zoned = entry('zoned', '2026-05-01T01:30:00+02:00', '2028-05-01T00:00:00Z');
    expect(chosen(current, zoned)).toBe('current');
  });

  test('when our clock fits none, the latest: the clock is more likely wrong than the service', () => {
    expect(chosen(over, coming)).toBe('coming');
    expect(chosen(other)).toBeUndefined();
  });
});
