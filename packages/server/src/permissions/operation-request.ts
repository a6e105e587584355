import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { StoredDetails } from './input-rules.ts';
import type { GrantKind, Identifier } from './model.ts';

/** What an accepted operation will do, as it is stored with it. */
export type OperationRequest = GrantRequest | RevokeRequest;

export interface GrantRequest {
  type: 'grant';
  kind: GrantKind;
  /** One record each. */
  scopes: readonly { scope: string; canDelegate: boolean }[];
  subject: Identifier;
  worksIn: Identifier;
  description: string;
  subjectDetails?: StoredDetails | undefined;
  subunitName?: string | undefined;
  euEntityName?: string | undefined;
  euEntityDetails?: { fullName: string; address: string } | undefined;
}

export interface RevokeRequest {
  type: 'revoke';
  permissionId: string;
  /** Authorizations have an endpoint of their own. */
  authorization: boolean;
}

export interface Operation {
  reference: string;
  context: ContextIdentifier;
  author: SubjectIdentifier;
  request: OperationRequest;
}

/** How an operation ended: 200, or a code of the catalogue and the cause in a sentence. */
export interface Verdict {
  code: 200 | 400 | 410 | 420 | 430 | 440 | 450;
  because?: string;
}

export const GRANTED: Verdict = { code: 200 };

export function scopesOf(permissions: readonly string[]): GrantRequest['scopes'] {
  return permissions.map((scope) => ({ scope, canDelegate: false }));
}
