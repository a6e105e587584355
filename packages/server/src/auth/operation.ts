import type { AuthenticationMethod } from '@kwit/contract/enumerations';
import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { SubjectAttributes } from './identity.ts';
import type { AllowedIps } from './ip-policy.ts';

/** An authentication operation, after its success also the authentication session. Moments are milliseconds since 1970. */
export interface Operation {
  reference: string;
  startedAt: number;
  method: AuthenticationMethod;
  context: ContextIdentifier;
  /** Unknown while a system token or an internal certificate is still to be looked up. */
  subject: SubjectIdentifier | undefined;
  attributes: SubjectAttributes;
  allowedIps: AllowedIps | undefined;
  status: number;
  statusDetails: readonly string[];
  redeemedAt: number | undefined;
  refreshValidUntil: number | undefined;
  lastRefreshAt: number | undefined;
  challengeMs: number | undefined;
  systemToken: string | undefined;
}

/** How an operation ends, with what processing found out about its subject. */
export interface Verdict {
  reference: string;
  status: number;
  details: readonly string[];
  subject: SubjectIdentifier | undefined;
  systemToken: string | undefined;
}

/** What processing needs beside the row; travels as the payload of its job and goes with it. */
export type Submission =
  | { reference: string; kind: 'token'; encryptedToken: string; publicKeyId?: string }
  | {
      reference: string;
      kind: 'signature';
      /** Base64 DER, the signer first. */
      certificates: readonly string[];
      verifyChain: boolean;
    };

export const PROCESS_QUEUE = 'auth.process';
