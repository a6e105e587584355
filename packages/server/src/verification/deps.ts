import type { Names } from '@kwit/contract/names';
import type { CertificateRegistry } from '../certificates/registry.ts';
import type { RequestRefusal } from '../limits/decide.ts';
import type { IssuingFacts, IssuingQuestion } from '../permissions/issuing-facts.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import type { WorkerPool } from '../platform/workers/pool.ts';

export interface VerificationDeps {
  database: Database;
  clock: Clock;
  pool: WorkerPool;
  registry: Pick<CertificateRegistry, 'registeredCertificate' | 'internalCertificateUsed'>;
  issuingFacts(on: Queryable, questions: readonly IssuingQuestion[], now: number): Promise<IssuingFacts[]>;
  /** Addresses that links are printed with, beside the one a request comes to. */
  addresses: readonly string[];
  /** Pages speak the name of the service. */
  names: Names;
  environment: string;
  /** What is thrown at callers who must wait. */
  limitExceeded(refusal: RequestRefusal): Error;
}
