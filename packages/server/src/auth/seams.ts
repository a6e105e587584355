import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { EffectivePermissions, LinkedIdentifiers, PermissionsOf } from '../tokens/seams.ts';

export type { EffectivePermissions, LinkedIdentifiers, PermissionsOf } from '../tokens/seams.ts';

/** What the registry of our own certificates says of one of them. */
export interface InternalCertificate {
  /** SHA-256 of its DER, upper-case hex: a copy of issuer and serial number must not pass for it. */
  fingerprint: string;
  type: 'Authentication' | 'Offline';
  status: 'Active' | 'Blocked' | 'Revoked' | 'Expired';
  subject: SubjectIdentifier;
}

/** What decides whether a subject gets into a context, all of one moment. */
export interface Standing extends EffectivePermissions {
  isBlocked: boolean;
  isDeceased: boolean;
}

export interface Registries {
  standingOf(subject: SubjectIdentifier, context: ContextIdentifier, now: number, on: Queryable): Promise<Standing>;
  permissionsOf: PermissionsOf;
  linkedIdentifiers: LinkedIdentifiers;
  isDeceased(subject: SubjectIdentifier, now: number, on: Queryable): Promise<boolean>;
  /** By serial number, upper-case hex digits. */
  internalCertificate(serialHex: string, on: Queryable): Promise<InternalCertificate | undefined>;
  /** A login with it succeeded. */
  internalCertificateUsed(serialHex: string, now: number, on: Queryable): Promise<void>;
}
