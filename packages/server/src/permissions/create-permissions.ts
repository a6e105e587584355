import type { Binding } from '../platform/binding.ts';
import type { Queue } from '../platform/jobs/jobs.ts';
import { attachmentsAllowed } from './attachment-consent.ts';
import type { PermissionsDeps } from './deps.ts';
import { operationQueue } from './operation-queue.ts';
import { permissionRoutes } from './routes.ts';
import {
  createStandingOf,
  effectivePermissionsOf,
  isBlocked,
  isSubjectDeceased,
  linkedIdentifiers,
  permissionsOf,
  type StandingOf,
} from './subject-registry.ts';

export interface Permissions {
  bindings: Binding[];
  queues: Queue[];
  permissionsOf: typeof permissionsOf;
  effectivePermissionsOf: typeof effectivePermissionsOf;
  linkedIdentifiers: typeof linkedIdentifiers;
  isDeceased: typeof isSubjectDeceased;
  isBlocked: typeof isBlocked;
  standingOf: StandingOf;
  attachmentsAllowed: typeof attachmentsAllowed;
}

/** The capability, assembled: endpoints, its queue, and what the other capabilities ask it. */
export function createPermissions(deps: PermissionsDeps): Permissions {
  return {
    bindings: permissionRoutes(deps),
    queues: [operationQueue(deps) as Queue],
    permissionsOf,
    effectivePermissionsOf,
    linkedIdentifiers,
    isDeceased: isSubjectDeceased,
    isBlocked,
    standingOf: createStandingOf(deps.database),
    attachmentsAllowed,
  };
}
