import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import type { Identifier } from './model.ts';
import type { Operation, OperationRequest, Verdict } from './operation-request.ts';

interface OperationRow {
  reference: string;
  context_type: ContextIdentifier['type'];
  context_value: string;
  author_type: SubjectIdentifier['type'];
  author_value: string;
  request: OperationRequest;
  status: number;
  status_details: string[];
  created_at: Date;
}

export interface StoredOperation extends Operation {
  status: number;
  statusDetails: readonly string[];
  createdAt: number;
}

function operationOf(row: OperationRow): StoredOperation {
  return {
    reference: row.reference,
    context: { type: row.context_type, value: row.context_value },
    author: { type: row.author_type, value: row.author_value },
    request: row.request,
    status: row.status,
    statusDetails: row.status_details,
    createdAt: row.created_at.getTime(),
  };
}

export async function insertOperation(on: Queryable, operation: Operation, at: number): Promise<void> {
  const { reference, context, author, request } = operation;
  await on.execute(sql`
    insert into permission_operation (reference, context_type, context_value, author_type, author_value, request, created_at)
    values (${reference}, ${context.type}, ${context.value}, ${author.type}, ${author.value}, ${JSON.stringify(request)}, ${new Date(at)})`);
}

export async function findOperation(on: Queryable, reference: string): Promise<StoredOperation | undefined> {
  const [row] = await on.query<OperationRow>(sql`select * from permission_operation where reference = ${reference}`);
  return row && operationOf(row);
}

/** The operation while it is still to be done; whoever holds the lock does it. */
export async function lockPendingOperation(on: Queryable, reference: string): Promise<Operation | undefined> {
  const [row] = await on.query<OperationRow>(
    sql`select * from permission_operation where reference = ${reference} and status = 100 for update`,
  );
  return row && operationOf(row);
}

export async function settleOperation(
  on: Queryable,
  reference: string,
  verdict: Verdict | { code: 500 | 550; because?: string },
  at: number,
): Promise<void> {
  const details = verdict.because === undefined ? [] : [verdict.because];
  await on.execute(sql`
    update permission_operation set status = ${verdict.code}, status_details = ${details}, finished_at = ${new Date(at)}
    where reference = ${reference} and status = 100`);
}

/** Grants and revokes of one context happen one after the other, so that two that cross cannot leave a mixture. */
export async function lockContext(on: Queryable, context: Identifier): Promise<void> {
  await on.query(
    sql`select pg_advisory_xact_lock(hashtextextended(${`permissions ${context.type} ${context.value}`}, 0))`,
  );
}
