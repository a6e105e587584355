import type { Input, Output } from '@kwit/contract/endpoint';
import { METADATA_WINDOW, PAGE_SIZE_DEFAULT } from '@kwit/contract/limits';
import { DETAIL_TEXTS, VALIDATOR_TEXTS } from '@kwit/contract/problem-texts';
import { detail, Refusal, refuse } from '@kwit/contract/refusal';
import type { queryMetadata as endpoint } from '@kwit/contract/retrieval-endpoints';
import type { Caller } from '../platform/caller.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { type Range, readRange, upperEnd } from './date-range.ts';
import { checkFilters, type Filters } from './filters.ts';
import { markTicks, presentMoment, shownMark } from './mark.ts';
import { countMatches, type Selection, selectMetadata } from './metadata-store.ts';
import { type QueryBounds, queryKey, recallBounds, rememberBounds } from './query-bounds.ts';
import type { Sequencer } from './sequencer.ts';

export interface RetrievalDeps {
  database: Database;
  clock: Clock;
  sequencer: Sequencer;
}

/**
 * A page of metadata. The first page fixes what the query covers; the others show the same for a while, so that
 * nothing is missed or doubled while invoices arrive.
 */
export async function queryMetadata(
  deps: RetrievalDeps,
  caller: Caller,
  query: Input<typeof endpoint, 'query'>,
  body: Input<typeof endpoint, 'body'>,
): Promise<Output<typeof endpoint>> {
  const { sortOrder = 'Asc', pageOffset = 0, pageSize = PAGE_SIZE_DEFAULT } = query;
  const { filters, given } = await readQuery(deps, body, pageOffset * pageSize);
  const { database } = deps;
  const key = queryKey(caller, filters);
  const kept = pageOffset > 0 ? await recallBounds(database, key, deps.clock.now()) : undefined;
  const { upper, markUs } = kept ?? (await newBounds(deps, given));

  const selection = { context: caller.context, filters, range: { ...given, to: upper }, storedBy: markUs };
  const offset = pageOffset * pageSize;
  const found = await selectMetadata(database, selection, { offset, limit: pageSize + 1, sortOrder });
  const shown = Math.min(pageSize, METADATA_WINDOW - offset);
  const hasMore = found.length > shown;
  const total = kept?.total ?? (await totalOf(database, selection, { offset, found: found.length, hasMore }));
  if (!kept) await rememberBounds(database, key, { upper, markUs, total }, deps.clock.now());
  return {
    hasMore,
    isTruncated: hasMore && offset + shown >= METADATA_WINDOW,
    ...(given.dateType === 'PermanentStorage' ? { permanentStorageHwmDate: shownMark(upper, markUs) } : {}),
    invoices: found.slice(0, shown),
    totalCount: total,
  };
}

/** Everything that is wrong with the request, at once. */
async function readQuery(
  deps: RetrievalDeps,
  body: Input<typeof endpoint, 'body'>,
  offset: number,
): Promise<{ filters: Filters; given: Range }> {
  const failures: string[] = [];
  const filters = filtersOf(body, failures);
  const given = filters && readRange(filters.dateRange, await presentMoment(deps, filters.dateRange), failures);
  if (filters) checkFilters(filters, failures);
  if (offset >= METADATA_WINDOW) failures.push(VALIDATOR_TEXTS.metadataWindow);
  if (filters && given && failures.length === 0) return { filters, given };
  throw new Refusal([{ code: 21405, details: failures.map((text) => detail('{0}', { 0: text })) }]);
}

/** The filter object stands by itself or under `filters`; what is missing is named by its own path. */
function filtersOf(body: Input<typeof endpoint, 'body'>, failures: string[]): Filters | undefined {
  if (body.filters) return body.filters;
  const { subjectType, dateRange } = body;
  if (subjectType === undefined) failures.push("'subjectType' must not be empty.");
  if (dateRange === undefined) failures.push("'dateRange' must not be empty.");
  return subjectType === undefined || dateRange === undefined ? undefined : { ...body, subjectType, dateRange };
}

async function newBounds({ sequencer }: RetrievalDeps, given: Range): Promise<Omit<QueryBounds, 'total'>> {
  if (given.dateType !== 'PermanentStorage') return { upper: given.to, markUs: await sequencer.current() };
  const markUs = await sequencer.mark();
  const mark = markTicks(markUs);
  if (given.restricted && given.from > mark) throw refuse(21183, DETAIL_TEXTS.rangeAboveHwm);
  return { upper: upperEnd(given, mark), markUs };
}

/** Matches up to the window. The last page knows without counting. */
async function totalOf(
  database: Database,
  selection: Selection,
  page: { offset: number; found: number; hasMore: boolean },
): Promise<number> {
  const isLast = !page.hasMore && (page.found > 0 || page.offset === 0);
  if (isLast) return Math.min(page.offset + page.found, METADATA_WINDOW);
  return countMatches(database, selection, METADATA_WINDOW);
}
