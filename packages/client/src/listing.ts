import type { Endpoint, Output } from '@kwit/contract/endpoint';
import type { RequestInput, Transport } from './transport.ts';

/**
 * A list that comes in pages. Walk over all of its items with `for await`, take them at once with `toArray`, or fetch single pages.
 *
 * @example for await (const token of login.systemTokens.list({ status: ['Active'] })) console.log(token.referenceNumber);
 */
export interface Listing<Page, Item> extends AsyncIterable<Item> {
  /** One page; without an argument the first one. */
  page(where?: PageAddress): Promise<Page>;
  pages(): AsyncIterable<Page>;
  /** All items, or the first so many. */
  toArray(most?: number): Promise<Item[]>;
}

/** Which page: `continuationToken` of the page before, or the page's number, by the kind of list. */
export interface PageAddress {
  continuationToken?: string | undefined;
  pageOffset?: number | undefined;
}

export type ItemOf<E extends Endpoint, Key extends keyof Output<E>> = Output<E>[Key] extends readonly (infer Item)[]
  ? Item
  : never;

/** A list paged by the header `x-continuation-token`. */
export function continuedListing<E extends Endpoint, const Key extends keyof Output<E> & string>(
  transport: Transport,
  endpoint: E,
  input: RequestInput<E>,
  key: Key,
): Listing<Output<E>, ItemOf<E, Key>> {
  return listing(
    ({ continuationToken }) =>
      transport.call(
        endpoint,
        continuationToken
          ? ({
              ...input,
              headers: { ...input.headers, 'x-continuation-token': continuationToken },
            } as RequestInput<E>)
          : input,
      ),
    (page) => {
      const { continuationToken } = page as { continuationToken?: string };
      return continuationToken ? { continuationToken } : undefined;
    },
    (page) => (page as Record<Key, ItemOf<E, Key>[]>)[key],
  );
}

/** A list paged by `pageOffset`, the number of the page from 0. */
export function numberedListing<E extends Endpoint, const Key extends keyof Output<E> & string>(
  transport: Transport,
  endpoint: E,
  input: RequestInput<E>,
  key: Key,
): Listing<Output<E>, ItemOf<E, Key>> {
  return listing(
    ({ pageOffset = 0 }) => {
      const query = { ...(input.query as object | undefined), pageOffset };
      return transport.call(endpoint, { ...input, query } as RequestInput<E>);
    },
    (page, { pageOffset = 0 }) =>
      (page as { hasMore?: boolean }).hasMore ? { pageOffset: pageOffset + 1 } : undefined,
    (page) => (page as Record<Key, ItemOf<E, Key>[]>)[key],
  );
}

function listing<Page, Item>(
  fetchPage: (where: PageAddress) => Promise<Page>,
  next: (page: Page, where: PageAddress) => PageAddress | undefined,
  itemsOf: (page: Page) => readonly Item[],
): Listing<Page, Item> {
  async function* pages(): AsyncGenerator<Page> {
    for (let where: PageAddress | undefined = {}; where !== undefined; ) {
      const page: Page = await fetchPage(where);
      yield page;
      where = next(page, where);
    }
  }
  async function* items(): AsyncGenerator<Item> {
    for await (const page of pages()) yield* itemsOf(page);
  }
  return {
    page: (where = {}) => fetchPage(where),
    pages,
    [Symbol.asyncIterator]: items,
    toArray: (most) => take(items(), most),
  };
}

/** All items, or the first so many; no page is fetched beyond the last one needed. */
export async function take<Item>(items: AsyncIterable<Item>, most = Number.POSITIVE_INFINITY): Promise<Item[]> {
  const taken: Item[] = [];
  if (most <= 0) return taken;
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= most) break;
  }
  return taken;
}
