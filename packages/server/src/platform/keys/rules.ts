import type { KeyPurpose } from './key-ring.ts';
import { PURPOSES, type StoredCertificate, type StoredKey } from './stored-key.ts';

const DAY = 86_400_000;

/** How long an old published key stays beside the new one unless told otherwise. */
export const PUBLISHED_OVERLAP = 30 * DAY;
/**
 * A new secret verifies at once but signs only after this time while an older one is there: by then every node has read it, also
 * one that missed the notification, so no node meets a signature of a secret that it does not know.
 */
export const SECRET_GRACE = 2 * 60_000;
/** Longest life of anything signed with a secret, a refresh token (7 days), counted from the last one that the old secret signs. */
export const SECRET_OVERLAP = 7 * DAY + SECRET_GRACE;

/** A certificate with less left than this, and none to follow it, is renewed. */
function renewalMargin(purpose: KeyPurpose): number {
  // What an authority issues lives two years and must end before the authority does.
  return purpose === 'CertificateAuthority' ? 3 * 366 * DAY : 30 * DAY;
}

export type KeyState = 'active' | 'retiring' | 'retired' | 'withdrawn';

export function stateOf(key: StoredKey, now: number): KeyState {
  if (key.withdrawnAt !== undefined) return 'withdrawn';
  if (key.retireAt === undefined) return 'active';
  return now < key.retireAt ? 'retiring' : 'retired';
}

/** Keys of a purpose that are listed, accepted or used, the newest first. */
export function inUse(keys: readonly StoredKey[], purpose: KeyPurpose, now: number): StoredKey[] {
  return keys
    .filter((key) => key.purpose === purpose && ['active', 'retiring'].includes(stateOf(key, now)))
    .sort((a, b) => b.generation - a.generation);
}

export function isValid(certificate: { validFrom: number; validTo: number }, now: number): boolean {
  return certificate.validFrom <= now && now < certificate.validTo;
}

/** Secrets of a purpose, the one to sign with first. */
export function secretsInOrder(keys: readonly StoredKey[], purpose: KeyPurpose, now: number): StoredKey[] {
  const usable = inUse(keys, purpose, now);
  const fresh = usable.filter((key) => now < key.createdAt + SECRET_GRACE);
  const settled = usable.filter((key) => !fresh.includes(key));
  // Of several fresh ones the oldest is known to most nodes.
  return [...settled, ...fresh.reverse()];
}

/** Purposes that have no key to stay: a first start, or what a withdrawal left behind. */
export function missingPurposes(keys: readonly StoredKey[], now: number): KeyPurpose[] {
  return PURPOSES.filter((purpose) => !inUse(keys, purpose, now).some((key) => stateOf(key, now) === 'active'));
}

/** Keys that need a new certificate now: of each purpose at most the newest key. */
export function dueForCertificate(keys: readonly StoredKey[], now: number): StoredKey[] {
  return PURPOSES.flatMap((purpose) => {
    const usable = inUse(keys, purpose, now);
    const [newest] = usable;
    if (!newest?.publicPart) return [];
    const good = usable.flatMap((key) => key.certificates).filter((certificate) => hasIssuer(certificate, keys, now));
    const lastsUntil = Math.max(0, ...good.map((certificate) => certificate.validTo));
    return lastsUntil - now < renewalMargin(purpose) ? [newest] : [];
  });
}

/** A certificate whose authority was withdrawn proves nothing any more. */
function hasIssuer(certificate: StoredCertificate, keys: readonly StoredKey[], now: number): boolean {
  return (
    certificate.issuerKeyId === undefined ||
    inUse(keys, 'CertificateAuthority', now).some((authority) => authority.id === certificate.issuerKeyId)
  );
}

/** The certificate to show with a key now: the newest that has begun, else the newest of all. */
export function currentCertificate(key: StoredKey, now: number): StoredCertificate | undefined {
  // They stand newest first and the sort is stable, so of two that begin together the later made one is taken.
  const sorted = [...key.certificates].sort((a, b) => b.validFrom - a.validFrom);
  return sorted.find((certificate) => certificate.validFrom <= now) ?? sorted[0];
}
