import type { Endpoint, Input, Output } from '@kwit/contract/endpoint';
import * as endpoints from '@kwit/contract/permission-endpoints';
import { createPermissionQueries, type PermissionQueries } from './permission-queries.ts';
import type { RequestInput, Transport } from './transport.ts';
import { type WaitOptions, waitFor } from './wait.ts';

type Body<E extends Endpoint> = Input<E, 'body'>;

/** A grant or revoke that was accepted and is being carried out. */
export type PermissionOperation = Output<typeof endpoints.grantPersonPermissions>;
export type PermissionOperationStatus = Output<typeof endpoints.getPermissionOperation>;

/** Granting, revoking and listing permissions in the context that is logged in. */
export interface Permissions extends PermissionQueries {
  /** @example await login.permissions.waitFor(await login.permissions.grantPerson({ subjectIdentifier, permissions: ['InvoiceRead'], ... })); */
  grantPerson(grant: Body<typeof endpoints.grantPersonPermissions>): Promise<PermissionOperation>;
  grantEntity(grant: Body<typeof endpoints.grantEntityPermissions>): Promise<PermissionOperation>;
  grantAuthorization(grant: Body<typeof endpoints.grantAuthorization>): Promise<PermissionOperation>;
  grantIndirect(grant: Body<typeof endpoints.grantIndirectPermissions>): Promise<PermissionOperation>;
  grantSubunit(grant: Body<typeof endpoints.grantSubunitAdministration>): Promise<PermissionOperation>;
  grantEuAdministration(grant: Body<typeof endpoints.grantEuAdministration>): Promise<PermissionOperation>;
  grantEuRepresentation(grant: Body<typeof endpoints.grantEuRepresentation>): Promise<PermissionOperation>;
  /** Of any kind but an authorization. */
  revoke(permissionId: string): Promise<PermissionOperation>;
  revokeAuthorization(permissionId: string): Promise<PermissionOperation>;
  operation(operation: PermissionOperation): Promise<PermissionOperationStatus>;
  /** Until the grant or revoke is carried out; throws `OperationFailed` with the reasons when it cannot be. */
  waitFor(operation: PermissionOperation, options?: WaitOptions): Promise<PermissionOperationStatus>;
  /** Whether the context may send invoices with attachments. */
  attachmentStatus(): Promise<Output<typeof endpoints.getAttachmentStatus>>;
}

export function createPermissions(transport: Transport): Permissions {
  const grant =
    <E extends Endpoint>(endpoint: E) =>
    (body: Body<E>): Promise<PermissionOperation> =>
      transport.call(endpoint, { body } as RequestInput<E>) as Promise<PermissionOperation>;
  const operation = ({ referenceNumber }: PermissionOperation) =>
    transport.call(endpoints.getPermissionOperation, { params: { referenceNumber } });
  return {
    grantPerson: grant(endpoints.grantPersonPermissions),
    grantEntity: grant(endpoints.grantEntityPermissions),
    grantAuthorization: grant(endpoints.grantAuthorization),
    grantIndirect: grant(endpoints.grantIndirectPermissions),
    grantSubunit: grant(endpoints.grantSubunitAdministration),
    grantEuAdministration: grant(endpoints.grantEuAdministration),
    grantEuRepresentation: grant(endpoints.grantEuRepresentation),
    revoke: (permissionId) => transport.call(endpoints.revokePermission, { params: { permissionId } }),
    revokeAuthorization: (permissionId) => transport.call(endpoints.revokeAuthorization, { params: { permissionId } }),
    operation,
    waitFor: (pending, options) =>
      waitFor(
        transport.environment,
        {
          operation: 'permission operation',
          referenceNumber: pending.referenceNumber,
          read: () => operation(pending),
          statusOf: ({ status }) => status,
        },
        options,
      ),
    attachmentStatus: () => transport.call(endpoints.getAttachmentStatus, {}),
    ...createPermissionQueries(transport),
  };
}
