import type { Queryable } from '../platform/db/database.ts';
import type { PermissionsDeps } from './deps.ts';
import { effectivePermissions, identitiesOf, isDeceased } from './effective-permissions.ts';
import { judgeGrant } from './grant-rules.ts';
import { loadFacts } from './load-facts.ts';
import { type RoleFact, same } from './model.ts';
import type { GrantRequest, Operation, RevokeRequest, Verdict } from './operation-request.ts';
import { lockContext, lockPendingOperation, settleOperation } from './operation-store.ts';
import { createEuEntity, createInternalUnit, grantingRegisters } from './register-store.ts';
import { judgeRevoke } from './revoke-rules.ts';
import { endGrant, endOtherDelegation, findGrantInForce, insertGrants } from './store.ts';

/** What is known about the author and its context when an operation is processed. */
interface Standing {
  at: number;
  authorHolds: ReadonlySet<string>;
  roles: readonly RoleFact[];
}

/** Does what an operation asks for and records how it ended, in one transaction. Safe to run twice: a settled operation is left alone. */
export async function processOperation(deps: PermissionsDeps, reference: string): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const operation = await lockPendingOperation(tx, reference);
    if (!operation) return;
    await lockContext(tx, operation.context);
    const at = deps.clock.now();
    // The right of the author is asked a second time, from live data: the token it came with may be older than a revoke.
    const facts = await loadFacts(tx, operation.author, operation.context);
    const author = effectivePermissions(facts, operation.author, operation.context, at);
    const standing = { at, authorHolds: new Set<string>(author.permissions.keys()), roles: facts.roles };
    const { request } = operation;
    const verdict =
      request.type === 'grant'
        ? await grant(deps, tx, operation, request, standing)
        : await revoke(tx, operation, request, standing);
    await settleOperation(tx, reference, verdict, at);
  });
}

async function grant(
  deps: PermissionsDeps,
  tx: Queryable,
  operation: Operation,
  request: GrantRequest,
  { at, authorHolds, roles }: Standing,
): Promise<Verdict> {
  const { context, author, reference } = operation;
  const { subject, worksIn } = request;
  const unitNip = request.kind === 'SubunitAdmin' && worksIn.type === 'Nip' ? worksIn.value : '';
  const registers = await grantingRegisters(tx, subject, context.type === 'Nip' ? context.value : '', unitNip);
  const people = { persons: registers.persons, roles: [], grants: [] };
  const inForce = (role: RoleFact) => role.startDate <= at;
  const verdict = judgeGrant(request, operation, {
    authorHolds,
    subjectIsDeceased: isDeceased(people, subject, at),
    subjectOwnsContext: identitiesOf(people, subject, at).some((i) => same(i, context)),
    roles: roles.filter(inForce),
    rolesOfUnit: registers.rolesOfUnit.filter(inForce),
    providerIsRegistered: registers.providerIsRegistered,
  });
  if (verdict.code !== 200) return verdict;

  const { type: _, scopes, ...common } = request;
  const drafts = scopes.map(({ scope, canDelegate }) => ({
    ...common,
    id: deps.random.uuid(),
    scope,
    canDelegate,
    grantor: context,
    author,
    operation: reference,
  }));
  if (request.kind === 'Entity') for (const draft of drafts) await endOtherDelegation(tx, draft, at);
  await insertGrants(tx, drafts, at);
  if (worksIn.type === 'InternalId' && request.subunitName !== undefined) {
    await createInternalUnit(tx, worksIn.value, request.subunitName, at);
  }
  if (request.euEntityName !== undefined && request.euEntityDetails) {
    await createEuEntity(tx, worksIn.value, request.euEntityName, request.euEntityDetails, at);
  }
  return verdict;
}

async function revoke(
  tx: Queryable,
  operation: Operation,
  request: RevokeRequest,
  { at, authorHolds }: Standing,
): Promise<Verdict> {
  const record = await findGrantInForce(tx, request.permissionId);
  const verdict = judgeRevoke(request, operation, record, authorHolds);
  if (verdict.code === 200) await endGrant(tx, request.permissionId, at);
  return verdict;
}
