import type { Readable } from 'node:stream';
import * as links from '@kwit/contract/link-endpoints';
import * as endpoints from '@kwit/contract/session-endpoints';
import { type Binding, bind } from '../../platform/binding.ts';
import { callerOf } from '../../platform/caller.ts';
import { closeBatchSession } from './close-batch-session.ts';
import type { BatchDeps } from './deps.ts';
import { openBatchSession } from './open-batch-session.ts';
import { uploadPart } from './upload-part.ts';

export function batchRoutes(deps: BatchDeps): Binding[] {
  return [
    bind(endpoints.openBatchSession, ({ bearer, body, features, baseUrl }) =>
      openBatchSession(deps, callerOf(bearer), body, features, baseUrl),
    ),
    bind(endpoints.closeBatchSession, async ({ bearer, params }) => {
      await closeBatchSession(deps, callerOf(bearer), params.referenceNumber);
      return undefined;
    }),
    bind(links.uploadPart, ({ params, url, header, stream }) =>
      uploadPart(deps, { ...url, ...params, header, stream: stream as Readable }),
    ),
    // A link is good for one method only.
    bind(links.postToLink, async () => ({ emptyStatus: 403 })),
    bind(links.deleteLink, async () => ({ emptyStatus: 403 })),
  ];
}
