import { createHash } from 'node:crypto';
import { formatTimestamp, type Ticks } from '@kwit/contract/date-time';
import type { Input, Output } from '@kwit/contract/endpoint';
import { LIFETIMES, METADATA_WINDOW } from '@kwit/contract/limits';
import { DETAIL_TEXTS, VALIDATOR_TEXTS } from '@kwit/contract/problem-texts';
import { detail, Refusal, refuse } from '@kwit/contract/refusal';
import type { queryMetadata as endpoint } from '@kwit/contract/retrieval-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';
import { type Range, readRange } from './date-range.ts';
import { checkFilters, type Filters } from './filters.ts';
import { countMatches, selectMetadata } from './metadata-store.ts';
import type { Sequencer } from './sequencer.ts';

export interface RetrievalDeps {
  database: Database;
  clock: Clock;
  sequencer: Sequencer;
}

/** The mark never equals the date of an invoice: dates are whole microseconds, it lies half a microsecond behind (retrieval 9.10). */
export function markTicks(markUs: number): Ticks {
  return BigInt(markUs) * 10n + 5n;
}

/** A page of metadata (handbook: retrieval 11). */
export async function queryMetadata(
  deps: RetrievalDeps,
  caller: Caller,
  query: Input<typeof endpoint, 'query'>,
  body: Input<typeof endpoint, 'body'>,
): Promise<Output<typeof endpoint>> {
  const { sortOrder = 'Asc', pageOffset = 0, pageSize = 10 } = query;
  const failures: string[] = [];
  const filters = filtersOf(body, failures);
  const given = filters && readRange(filters.dateRange, deps.clock.now(), failures);
  if (filters) checkFilters(filters, failures);
  if (pageOffset * pageSize >= METADATA_WINDOW) failures.push(VALIDATOR_TEXTS.metadataWindow);
  if (!filters || !given || failures.length > 0) {
    throw new Refusal([{ code: 21405, details: failures.map((text) => detail('{0}', { 0: text })) }]);
  }

  const { range, mark } = await boundsOf(deps, caller, filters, given, pageOffset);
  const selection = { context: caller.context, filters, range };
  const offset = pageOffset * pageSize;
  const found = await selectMetadata(deps.database, selection, { offset, limit: pageSize + 1, sortOrder });
  const shown = Math.min(pageSize, METADATA_WINDOW - offset);
  const hasMore = found.length > shown;
  return {
    hasMore,
    isTruncated: hasMore && offset + shown >= METADATA_WINDOW,
    ...(mark === undefined ? {} : { permanentStorageHwmDate: formatTimestamp(range.to < mark ? range.to : mark) }),
    invoices: found.slice(0, shown).map((row) => row.metadata),
    totalCount: await countMatches(deps.database, selection, METADATA_WINDOW),
  };
}

/** The filter object stands by itself or under `filters`; what is missing is named by its own path. */
function filtersOf(body: Input<typeof endpoint, 'body'>, failures: string[]): Filters | undefined {
  if (body.filters) return body.filters;
  const { subjectType, dateRange } = body;
  if (subjectType === undefined) failures.push("'subjectType' must not be empty.");
  if (dateRange === undefined) failures.push("'dateRange' must not be empty.");
  return subjectType === undefined || dateRange === undefined ? undefined : { ...body, subjectType, dateRange };
}

/**
 * Mark and upper bound of the query. The first page computes them; later pages of the same query reuse them for a while, so that the
 * answer does not move under the reader (retrieval 9.9).
 */
async function boundsOf(
  deps: RetrievalDeps,
  caller: Caller,
  filters: Filters,
  given: Range,
  pageOffset: number,
): Promise<{ range: Range; mark: Ticks | undefined }> {
  if (given.dateType !== 'PermanentStorage') return { range: given, mark: undefined };
  const { database, clock } = deps;
  const key = createHash('sha256')
    .update(JSON.stringify([caller.context, caller.subject, filters]))
    .digest();
  const now = new Date(clock.now());
  if (pageOffset > 0) {
    const [kept] = await database.query<{ mark_us: string | number; upper_ticks: string }>(sql`
      select mark_us, upper_ticks::text as upper_ticks from metadata_query where key = ${key} and expires_at > ${now}`);
    if (kept) return { range: { ...given, to: BigInt(kept.upper_ticks) }, mark: markTicks(Number(kept.mark_us)) };
  }
  const markUs = await deps.sequencer.mark();
  const mark = markTicks(markUs);
  if (given.restricted && given.from > mark) throw refuse(21183, DETAIL_TEXTS.rangeAboveHwm);
  const to = given.restricted && mark < given.to ? mark : given.to;
  const expires = new Date(clock.now() + LIFETIMES.queryHighWaterMark);
  await database.execute(sql`
    insert into metadata_query (key, mark_us, upper_ticks, expires_at) values (${key}, ${markUs}, ${String(to)}, ${expires})
    on conflict (key) do update set mark_us = excluded.mark_us, upper_ticks = excluded.upper_ticks, expires_at = excluded.expires_at`);
  return { range: { ...given, to }, mark };
}
