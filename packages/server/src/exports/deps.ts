import type { ServiceName } from '@kwit/contract/names';
import type { ReferenceNumbers } from '@kwit/contract/reference-number';
import type { Sequencer } from '../invoices/sequencer.ts';
import type { Blobs } from '../platform/blobs/blobs.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import type { Jobs } from '../platform/jobs/jobs.ts';
import type { KeyRing } from '../platform/keys/key-ring.ts';
import type { MasterKey } from '../platform/keys/master-key.ts';
import type { SignedLinks } from '../platform/signed/link.ts';

export interface ExportDeps {
  database: Database;
  clock: Clock;
  jobs: Jobs;
  references: ReferenceNumbers;
  sequencer: Sequencer;
  keys: KeyRing;
  masterKey: MasterKey;
  blobs: Blobs;
  links: SignedLinks;
  /** `_metadata.json` inside a package is written in the configured name, like every answer. */
  name: ServiceName;
  /** How long a finished package is kept, in milliseconds. */
  packageLife: number;
  /** Largest part before encryption. */
  maxPartBytes: number;
}
