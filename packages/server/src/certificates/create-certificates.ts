import type { Binding } from '../platform/binding.ts';
import type { Queue } from '../platform/jobs/jobs.ts';
import type { CertificatesDeps } from './deps.ts';
import { enrollmentQueue } from './process-enrollment.ts';
import { listQueue } from './publish-list.ts';
import { type CertificateRegistry, createRegistry } from './registry.ts';
import { certificateRoutes } from './routes.ts';

export interface Certificates {
  bindings: Binding[];
  queues: Queue<never>[];
  /** What logins and verification links ask. */
  registry: CertificateRegistry;
}

/** The capability, assembled: the service as a small certification authority. */
export function createCertificates(deps: CertificatesDeps): Certificates {
  return {
    bindings: certificateRoutes(deps),
    queues: [enrollmentQueue(deps), listQueue(deps)] as unknown as Queue<never>[],
    registry: createRegistry(deps),
  };
}
