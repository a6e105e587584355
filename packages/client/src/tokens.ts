import { generateToken, getToken, listTokens, revokeToken } from '@kwit/contract/auth-endpoints';
import type { Input, Output } from '@kwit/contract/endpoint';
import { continuedListing, type ItemOf, type Listing } from './listing.ts';
import type { Transport } from './transport.ts';
import { type WaitOptions, waitFor } from './wait.ts';

export type SystemToken = Output<typeof getToken>;

/** System tokens of the context that is logged in. */
export interface Tokens {
  /**
   * Makes a token. Its text is in this answer and nowhere else.
   * @example const { token } = await login.systemTokens.create({ permissions: ['InvoiceWrite'], description: 'Nightly run' });
   */
  create(request: Input<typeof generateToken, 'body'>): Promise<Output<typeof generateToken>>;
  list(
    query?: Input<typeof listTokens, 'query'>,
  ): Listing<Output<typeof listTokens>, ItemOf<typeof listTokens, 'tokens'>>;
  read(referenceNumber: string): Promise<SystemToken>;
  /** Until the token may be used; throws `OperationFailed` when it never will. */
  waitUntilActive(referenceNumber: string, options?: WaitOptions): Promise<SystemToken>;
  revoke(referenceNumber: string): Promise<void>;
}

/** States of a token as codes of an operation. */
const CODES = { Pending: 100, Active: 200, Revoking: 400, Revoked: 400, Failed: 500 } as const;

export function createTokens(transport: Transport): Tokens {
  const read = (referenceNumber: string) => transport.call(getToken, { params: { referenceNumber } });
  return {
    create: (body) => transport.call(generateToken, { body }),
    list: (query = {}) => continuedListing(transport, listTokens, { query }, 'tokens'),
    read,
    waitUntilActive: (referenceNumber, options) =>
      waitFor(
        transport.environment,
        {
          operation: 'system token',
          referenceNumber,
          read: () => read(referenceNumber),
          statusOf: ({ status, statusDetails = [] }) => ({
            code: CODES[status],
            description: status,
            details: statusDetails,
          }),
        },
        options,
      ),
    revoke: (referenceNumber) => transport.call(revokeToken, { params: { referenceNumber } }),
  };
}
