import type { Pointer } from '../../platform/xml/engine.ts';
import { type Decimal, formatDecimal, parseDecimal, subtract, ZERO } from '../decimal.ts';
import { attribute, eachChild, raw } from './tree.ts';

export interface Amount {
  value: Decimal;
  currency: string;
}

/** Totals as a Peppol document writes them, for itself or (`cac-pl:InvoiceCorrection`) as the difference of a correction. */
export interface Totals {
  exclusive?: Amount;
  inclusive?: Amount;
  payable?: Amount;
  /** One per currency. */
  taxes: Amount[];
}

export const noTotals = (): Totals => ({ taxes: [] });

/** The schema sets no bound for these; more digits than any FA amount type has are refused. */
const LONGEST_WHOLE = 18;
const LONGEST_FRACTION = 8;

export function readAmount(element: Pointer, problems: string[]): Amount {
  const text = raw(element).trim();
  const digits = /^[+-]?0*(\d*)(?:\.(\d*?)0*)?$/.exec(text);
  if (!digits || digits[1]!.length > LONGEST_WHOLE || (digits[2] ?? '').length > LONGEST_FRACTION) {
    problems.push(
      `An amount has more than ${LONGEST_WHOLE} digits before or ${LONGEST_FRACTION} digits behind the point.`,
    );
    return { value: ZERO, currency: '' };
  }
  return { value: parseDecimal(text) ?? ZERO, currency: attribute(element, 'currencyID') ?? '' };
}

export function readMonetaryTotal(element: Pointer, totals: Totals, problems: string[]): void {
  eachChild(element, (node, name) => {
    if (name === 'TaxExclusiveAmount') totals.exclusive = readAmount(node, problems);
    else if (name === 'TaxInclusiveAmount') totals.inclusive = readAmount(node, problems);
    else if (name === 'PayableAmount') totals.payable = readAmount(node, problems);
  });
}

/** In zlotys, else in the document's currency, else the first, else nought. */
function taxIn(taxes: readonly Amount[], ...currencies: string[]): Decimal {
  for (const currency of currencies) {
    const found = taxes.find((tax) => tax.currency === currency);
    if (found) return found.value;
  }
  return taxes[0]?.value ?? ZERO;
}

/** Net, VAT and gross; each figure is the difference where the correction names one, else the document's own. */
export function amounts(own: Totals, difference: Totals, currency: string) {
  const taxes = difference.taxes.length > 0 ? difference.taxes : own.taxes;
  const payable = own.payable?.value ?? ZERO;
  const net = difference.exclusive?.value ?? own.exclusive?.value ?? subtract(payable, taxIn(own.taxes, currency));
  const gross = difference.inclusive?.value ?? own.inclusive?.value ?? payable;
  return {
    netAmount: formatDecimal(net),
    vatAmount: formatDecimal(taxIn(taxes, 'PLN', currency)),
    grossAmount: formatDecimal(gross),
  };
}
