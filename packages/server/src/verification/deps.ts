import type { CertificateRegistry } from '../certificates/registry.ts';
import type { IssuingFacts, IssuingQuestion } from '../permissions/issuing-facts.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Queryable } from '../platform/db/database.ts';

export interface VerificationDeps {
  database: Database;
  clock: Clock;
  registry: Pick<CertificateRegistry, 'registeredCertificate' | 'internalCertificateUsed'>;
  issuingFacts(on: Queryable, questions: readonly IssuingQuestion[], now: number): Promise<IssuingFacts[]>;
  /** Addresses that links are printed with, beside the one a request comes to. */
  addresses: readonly string[];
}
