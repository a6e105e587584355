import type { PublishedKey } from './key-ring.ts';
import { currentCertificate, inUse, isValid } from './rules.ts';
import { PUBLISHED_PURPOSES, type PublishedPurpose, type StoredKey } from './stored-key.ts';

interface Entry extends PublishedKey {
  generation: number;
}

/**
 * The published list: entries valid now first, among them the latest `validFrom` first, because one client takes the first
 * entry of its usage. Of each key its newest certificate, and one that is yet to begin beside it; certificates that ended are not shown.
 */
export function publishedKeys(keys: readonly StoredKey[], now: number): PublishedKey[] {
  const entries = PUBLISHED_PURPOSES.flatMap((purpose) =>
    inUse(keys, purpose, now).flatMap((key) => entriesOf(key, purpose, now)),
  );
  entries.sort(
    (a, b) =>
      Number(isValid(b, now)) - Number(isValid(a, now)) || b.validFrom - a.validFrom || b.generation - a.generation,
  );
  return entries.map(({ generation: _, ...entry }) => entry);
}

function entriesOf(key: StoredKey, purpose: PublishedPurpose, now: number): Entry[] {
  const { publicPart, generation } = key;
  if (!publicPart) return [];
  const current = currentCertificate(key, now);
  const shown = key.certificates.filter((certificate) => certificate === current || certificate.validFrom > now);
  return shown
    .filter((certificate) => now < certificate.validTo)
    .map(({ id, der, validFrom, validTo }) => ({
      purpose,
      certificate: der,
      certificateId: id,
      publicKeyId: publicPart.publicKeyId,
      validFrom,
      validTo,
      generation,
    }));
}

/** The listed key that a `publicKeyId` of a request means: right usage and valid now, else undefined (code 21470). */
export function findUsable(
  published: readonly PublishedKey[],
  publicKeyId: string,
  purpose: PublishedPurpose,
  now: number,
): PublishedKey | undefined {
  return published.find(
    (entry) => entry.publicKeyId === publicKeyId && entry.purpose === purpose && isValid(entry, now),
  );
}
