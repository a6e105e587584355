/** What the ministry's own forms, FA and FA_RR, write alike. */
import { INVOICE_TYPE_SOURCES, type InvoiceType } from '@kwit/contract/invoice-forms';
import type { Pointer } from '../../platform/xml/engine.ts';
import { type Decimal, parseDecimal, ZERO } from '../decimal.ts';
import { eachChild, raw, token } from './tree.ts';

/** Invoice types by the text of `RodzajFaktury`. */
export const TYPE_OF_KIND: ReadonlyMap<string, InvoiceType> = new Map(
  Object.entries(INVOICE_TYPE_SOURCES)
    .filter((entry): entry is [InvoiceType, Exclude<(typeof entry)[1], undefined>] => entry[1] !== undefined)
    .map(([type, kind]) => [kind, type]),
);

export const amountOf = (element: Pointer): Decimal => parseDecimal(raw(element)) ?? ZERO;

export function readHeader(element: Pointer): { createdAt?: string; system?: string } {
  const header: { createdAt?: string; system?: string } = {};
  eachChild(element, (node, name) => {
    if (name === 'DataWytworzeniaFa') header.createdAt = token(node);
    else if (name === 'SystemInfo') header.system = token(node);
  });
  return header;
}
