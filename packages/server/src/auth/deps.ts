import type { Environment } from '@kwit/contract/enumerations';
import type { ReferenceNumbers } from '@kwit/contract/reference-number';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { OpenKeyRing } from '../platform/keys/open-key-ring.ts';
import type { Log } from '../platform/log-sink.ts';
import type { Random } from '../platform/random.ts';
import type { ContinuationTokens } from '../platform/signed/continuation-token.ts';
import type { WorkerPool } from '../platform/workers/pool.ts';
import type { Certificate } from '../platform/x509/certificate.ts';
import type { GatheredTokens } from '../tokens/gathered-tokens.ts';
import type { GatheredStore } from './gathered-store.ts';
import type { Registries } from './seams.ts';
import type { CheckTrust } from './trust/check-trust.ts';

export interface AuthSettings {
  environment: Environment;
  /** `iss` and `aud` of the tokens this process signs. */
  issuer: string;
  /** Every `iss` this environment accepts: both names. */
  acceptedIssuers: ReadonlySet<string>;
  /** `lenient` lets signatures outside of the XAdES profiles in, with a warning. */
  xadesMode: 'strict' | 'lenient';
  allowSha1: boolean;
  /** Authorities a chain may end in, on DEMO and PRD or when a login on TEST asks for it. */
  trustAnchors: readonly Certificate[];
  /** SHA-256 fingerprints of the seals of trusted-profile operators; needed on DEMO and PRD. */
  operatorSeals: ReadonlySet<string>;
  /** Whether answers still show the deprecated `authenticationMethod`. */
  showMethod: boolean;
}

/** Everything the operations of this capability need; each names the part it uses. */
export interface AuthDeps {
  db: Database;
  /** The same database, for what many logins do at once. */
  store: GatheredStore;
  tokens: GatheredTokens;
  jobs: Jobs;
  clock: Clock;
  random: Random;
  references: ReferenceNumbers;
  keys: Omit<OpenKeyRing, 'refresh' | 'close'>;
  pool: WorkerPool;
  continuation: ContinuationTokens;
  checkTrust: CheckTrust;
  registries: Registries;
  settings: AuthSettings;
  log: Log;
}
