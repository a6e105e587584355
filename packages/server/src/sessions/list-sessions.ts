import { formatTimestamp, millisecondsOf, parseDateTime } from '@kwit/contract/date-time';
import type { Input, Output } from '@kwit/contract/endpoint';
import { SESSION_STATUS_CODES } from '@kwit/contract/enumerations';
import { PAGE_SIZE_DEFAULT } from '@kwit/contract/limits';
import type { listSessions as endpoint } from '@kwit/contract/session-endpoints';
import type { Caller } from '../platform/caller.ts';
import { and, sql } from '../platform/db/sql.ts';
import { seesAllSessions } from './access.ts';
import type { SessionDeps } from './deps.ts';
import { expireSessions } from './expire-sessions.ts';
import { sessionStatus } from './present.ts';
import { querySessions } from './store.ts';

interface Position {
  createdAt: number;
  reference: string;
}

/** Sessions of the context, newest first; who may not see all of them sees their own. */
export async function listSessions(
  deps: SessionDeps,
  caller: Caller,
  query: Input<typeof endpoint, 'query'>,
  token: string | undefined,
): Promise<Output<typeof endpoint>> {
  const { pageSize = PAGE_SIZE_DEFAULT, ...filters } = query;
  const binding = {
    endpoint: 'sessions.list',
    context: `${caller.context.type} ${caller.context.value}`,
    caller: `${caller.subject.type} ${caller.subject.value}`,
    filters,
  };
  const after = deps.pages.read<Position>(token, binding);
  await expireSessions(deps);
  const groups = [...(filters.statuses ?? []), ...(filters.status ?? [])];
  const codes = groups.flatMap((group) => SESSION_STATUS_CODES[group]);
  const all = seesAllSessions(caller);
  const own = all ? [] : await deps.identitiesOf(caller.subject);
  const found = await querySessions(
    deps.database,
    and([
      sql`context_type = ${caller.context.type} and context_value = ${caller.context.value} and kind = ${filters.sessionType}`,
      !all && sql`(opener_type || ' ' || opener_value) = any(${own.map((i) => `${i.type} ${i.value}`)})`,
      filters.referenceNumber !== undefined && sql`reference = ${filters.referenceNumber}`,
      codes.length > 0 && sql`status = any(${codes})`,
      ...range('created_at', filters.dateCreatedFrom, filters.dateCreatedTo),
      ...range('closed_at', filters.dateClosedFrom, filters.dateClosedTo),
      ...range('updated_at', filters.dateModifiedFrom, filters.dateModifiedTo),
      after && sql`(created_at, reference) < (${new Date(after.createdAt)}, ${after.reference})`,
    ]),
    pageSize + 1,
  );
  const page = found.slice(0, pageSize);
  const last = page.at(-1);
  const more = found.length > pageSize && last;
  return {
    ...(more
      ? {
          continuationToken: deps.pages.issue(
            { createdAt: last.createdAt, reference: last.reference } satisfies Position,
            binding,
          ),
        }
      : {}),
    sessions: page.map((s) => ({
      referenceNumber: s.reference,
      status: sessionStatus(s),
      dateCreated: formatTimestamp(s.createdAt),
      dateUpdated: formatTimestamp(s.updatedAt),
      validUntil: formatTimestamp(s.validUntil),
      totalInvoiceCount: s.sent,
      successfulInvoiceCount: s.accepted,
      failedInvoiceCount: s.refused,
    })),
  };
}

const COLUMNS = {
  created_at: { from: (d: Date) => sql`created_at >= ${d}`, to: (d: Date) => sql`created_at <= ${d}` },
  closed_at: { from: (d: Date) => sql`closed_at >= ${d}`, to: (d: Date) => sql`closed_at <= ${d}` },
  updated_at: { from: (d: Date) => sql`updated_at >= ${d}`, to: (d: Date) => sql`updated_at <= ${d}` },
};

function range(column: keyof typeof COLUMNS, from: string | undefined, to: string | undefined) {
  return [momentOf(from), momentOf(to)].map(
    (moment, index) => moment && COLUMNS[column][index === 0 ? 'from' : 'to'](moment),
  );
}

function momentOf(text: string | undefined): Date | undefined {
  const ticks = text === undefined ? undefined : parseDateTime(text);
  return ticks === undefined ? undefined : new Date(millisecondsOf(ticks));
}
