import * as endpoints from '@kwit/contract/retrieval-endpoints';
import { type Binding, bind } from '../platform/binding.ts';
import { callerOf } from '../platform/caller.ts';
import type { Queue } from '../platform/jobs/jobs.ts';
import { exportQueue } from './build-export.ts';
import type { ExportDeps } from './deps.ts';
import { downloadPart } from './download-part.ts';
import { expiryQueue } from './expire-export.ts';
import { readExport } from './read-export.ts';
import { startExport } from './start-export.ts';

export interface Exports {
  bindings: Binding[];
  queues: Queue<never>[];
}

/** The capability, assembled. */
export function createExports(deps: ExportDeps): Exports {
  return {
    bindings: [
      bind(endpoints.startExport, ({ bearer, body }) => startExport(deps, callerOf(bearer), body)),
      bind(endpoints.readExport, ({ bearer, params, baseUrl }) =>
        readExport(deps, callerOf(bearer), params.referenceNumber, baseUrl),
      ),
      bind(endpoints.downloadExportPart, ({ params, url }) => downloadPart(deps, { ...url, ...params })),
    ],
    queues: [exportQueue(deps), expiryQueue(deps)] as unknown as Queue<never>[],
  };
}
