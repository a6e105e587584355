import type { TokenStatus } from '@kwit/contract/enumerations';
import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import { and, join, type Sql, sql } from '../platform/db/sql.ts';
import type { SystemToken } from './rules.ts';

interface Row {
  reference: string;
  author_type: SubjectIdentifier['type'];
  author_value: string;
  context_type: ContextIdentifier['type'];
  context_value: string;
  permissions: string[];
  description: string;
  created_at: Date;
  last_used_at: Date | null;
  status: TokenStatus;
  status_details: string[];
}

function fromRow(row: Row): SystemToken {
  return {
    reference: row.reference,
    author: { type: row.author_type, value: row.author_value },
    context: { type: row.context_type, value: row.context_value },
    permissions: row.permissions,
    description: row.description,
    createdAt: row.created_at.getTime(),
    lastUsedAt: row.last_used_at?.getTime(),
    status: row.status,
    statusDetails: row.status_details,
  };
}

export async function insertToken(on: Queryable, token: SystemToken, secretHash: Buffer): Promise<void> {
  await on.execute(sql`
    insert into system_token (reference, secret_hash, author_type, author_value, context_type, context_value, permissions,
      description, description_folded, created_at, status)
    values (${token.reference}, ${secretHash}, ${token.author.type}, ${token.author.value}, ${token.context.type},
      ${token.context.value}, ${token.permissions}, ${token.description}, ${token.description.toLowerCase()},
      ${new Date(token.createdAt)}, ${token.status})`);
}

export async function findToken(on: Queryable, reference: string): Promise<SystemToken | undefined> {
  const [row] = await on.query<Row>(sql`select * from system_token where reference = ${reference}`);
  return row && fromRow(row);
}

export interface StoredToken {
  token: SystemToken;
  secretHash: Buffer;
}

export async function findTokens(on: Queryable, references: readonly string[]): Promise<Map<string, StoredToken>> {
  const rows = await on.query<Row & { secret_hash: Buffer }>(sql`
    select found.* from unnest(${references}::text[]) as asked (reference)
    cross join lateral (select * from system_token t where t.reference = asked.reference offset 0) found`);
  return new Map(rows.map((row) => [row.reference, { token: fromRow(row), secretHash: row.secret_hash }]));
}

/** Moves a token only from one of the given states; false when it is in another one. */
export async function moveToken(
  on: Queryable,
  reference: string,
  from: readonly TokenStatus[],
  to: TokenStatus,
  details: readonly string[] = [],
): Promise<boolean> {
  const changed = await on.execute(sql`
    update system_token set status = ${to}, status_details = ${details}
    where reference = ${reference} and status = any(${from})`);
  return changed > 0;
}

export interface TokenUse {
  reference: string;
  at: number;
}

/** Each token at most once in `uses`. */
export async function setLastUse(on: Queryable, uses: readonly TokenUse[]): Promise<void> {
  await on.execute(sql`
    update system_token t set last_used_at = greatest(t.last_used_at, used.at)
    from unnest(${uses.map(({ reference }) => reference)}::text[], ${uses.map(({ at }) => new Date(at))}::timestamptz[])
      as used (reference, at)
    where t.reference = used.reference`);
}

export interface TokenFilter {
  context: ContextIdentifier;
  reference?: string | undefined;
  authors?: readonly SubjectIdentifier[] | undefined;
  statuses?: readonly TokenStatus[] | undefined;
  description?: string | undefined;
  authorText?: string | undefined;
  authorType?: string | undefined;
}

export interface TokenPosition {
  createdAt: number;
  reference: string;
}

/** Newest first; `strpos` and not `like`, so that nothing a user types is a pattern. */
export async function listTokens(
  on: Queryable,
  filter: TokenFilter,
  after: TokenPosition | undefined,
  limit: number,
): Promise<SystemToken[]> {
  const { context, reference, authors, statuses, description, authorText, authorType } = filter;
  const isOneOf = (list: readonly SubjectIdentifier[]): Sql =>
    join(
      list.map(({ type, value }) => sql`(author_type = ${type} and author_value = ${value})`),
      ' or ',
      'false',
    );
  const rows = await on.query<Row>(sql`
    select * from system_token
    where ${and([
      sql`context_type = ${context.type} and context_value = ${context.value}`,
      after && sql`(created_at, reference) < (${new Date(after.createdAt)}, ${after.reference})`,
      reference !== undefined && sql`reference = ${reference}`,
      authors && sql`(${isOneOf(authors)})`,
      statuses && statuses.length > 0 && sql`status = any(${statuses})`,
      description !== undefined && sql`strpos(description_folded, ${description.toLowerCase()}) > 0`,
      authorText !== undefined && sql`strpos(lower(author_value), ${authorText.toLowerCase()}) > 0`,
      authorType !== undefined && sql`author_type = ${authorType}`,
    ])}
    order by created_at desc, reference desc
    limit ${limit}`);
  return rows.map(fromRow);
}
