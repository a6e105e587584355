import type { Environment } from '@kwit/contract/enumerations';
import type { ContextLimits } from '@kwit/contract/limits';
import type { ReferenceNumbers } from '@kwit/contract/reference-number';
import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { KeyRing } from '../platform/keys/key-ring.ts';
import type { MasterKey } from '../platform/keys/master-key.ts';
import type { ContinuationTokens } from '../platform/signed/continuation-token.ts';
import type { SignedLinks } from '../platform/signed/link.ts';
import type { SameSubject } from './access.ts';
import type { Intake } from './pipeline/intake.ts';

/** The limits capability knows what was changed for a context. */
export type LimitsOf = (context: ContextIdentifier) => Promise<ContextLimits>;

export interface SessionDeps {
  database: Database;
  clock: Clock;
  environment: Environment;
  references: ReferenceNumbers;
  keys: KeyRing;
  masterKey: MasterKey;
  pages: ContinuationTokens;
  links: SignedLinks;
  sameSubject: SameSubject;
  /** All identifiers that are this subject: a NIP and the PESEL bound to it are one. */
  identitiesOf: (subject: SubjectIdentifier) => Promise<readonly SubjectIdentifier[]>;
  limitsOf: LimitsOf;
  /** Hands accepted invoices to the pipeline of this node; it would find them by itself in the end. */
  intake: Intake;
}
