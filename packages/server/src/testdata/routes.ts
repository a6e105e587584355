import {
  allowAttachments as allowAttachmentsEndpoint,
  blockContext as blockContextEndpoint,
  createPerson as createPersonEndpoint,
  createSubject as createSubjectEndpoint,
  grantTestPermissions,
  removePerson as removePersonEndpoint,
  removeSubject as removeSubjectEndpoint,
  revokeAttachments as revokeAttachmentsEndpoint,
  revokeTestPermissions,
  unblockContext as unblockContextEndpoint,
} from '@kwit/contract/testdata-endpoints';
import { type Binding, bind } from '../platform/binding.ts';
import { allowAttachments } from './allow-attachments.ts';
import { blockContext } from './block-context.ts';
import { createPerson } from './create-person.ts';
import { createSubject } from './create-subject.ts';
import type { TestDataDeps } from './deps.ts';
import { grantPermissions } from './grant-permissions.ts';
import { namedContext } from './named-context.ts';
import { removePerson } from './remove-person.ts';
import { removeSubject } from './remove-subject.ts';
import { revokeAttachments } from './revoke-attachments.ts';
import { revokePermissions } from './revoke-permissions.ts';
import { unblockContext } from './unblock-context.ts';

/** All of them are marked `testOnly`: the frame registers them on TEST and nowhere else. */
export function testDataRoutes(deps: TestDataDeps): Binding[] {
  return [
    bind(createSubjectEndpoint, ({ body }) => createSubject(deps, body)),
    bind(removeSubjectEndpoint, ({ body }) => removeSubject(deps, body)),
    bind(createPersonEndpoint, ({ body }) => createPerson(deps, body)),
    bind(removePersonEndpoint, ({ body }) => removePerson(deps, body)),
    bind(grantTestPermissions, ({ body }) => grantPermissions(deps, body)),
    bind(revokeTestPermissions, ({ body }) => revokePermissions(deps, body)),
    bind(allowAttachmentsEndpoint, ({ body }) => allowAttachments(deps, body)),
    bind(revokeAttachmentsEndpoint, ({ body }) => revokeAttachments(deps, body)),
    bind(blockContextEndpoint, ({ body, bearer }) => blockContext(deps, namedContext(body, bearer))),
    bind(unblockContextEndpoint, ({ body, bearer }) => unblockContext(deps, namedContext(body, bearer))),
  ];
}
