import type { Caller, SubjectIdentifier } from '../platform/caller.ts';
import type { CertificatesDeps } from './deps.ts';

/** Whose certificates the caller sees and revokes: his own and those under his other identifier. */
export function ownersOf(
  deps: Pick<CertificatesDeps, 'database' | 'clock' | 'linkedIdentifiers'>,
  { subject }: Caller,
): Promise<readonly SubjectIdentifier[]> {
  return deps.linkedIdentifiers(subject, deps.clock.now(), deps.database);
}

export function isOneOf(owners: readonly SubjectIdentifier[], { type, value }: SubjectIdentifier): boolean {
  return owners.some((owner) => owner.type === type && owner.value === value);
}
