import { UPO_PAGE_DOCUMENTS } from '@kwit/contract/limits';

/** Pages of a session's receipt: accepted invoices in their order, 10,000 to a page. */
export interface Page {
  /** From 1. */
  readonly number: number;
  readonly count: number;
  /** First and last document on the page, from 1, both inclusive. */
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

export function pagesOf(total: number, size: number = UPO_PAGE_DOCUMENTS): Page[] {
  const count = Math.ceil(total / size);
  return Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    count,
    from: index * size + 1,
    to: Math.min((index + 1) * size, total),
    total,
  }));
}
