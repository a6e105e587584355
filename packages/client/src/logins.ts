import { listAuthenticationSessions, revokeCurrentSession, revokeSession } from '@kwit/contract/auth-endpoints';
import type { Output } from '@kwit/contract/endpoint';
import { continuedListing, type ItemOf, type Listing } from './listing.ts';
import type { Transport } from './transport.ts';

type Page = Output<typeof listAuthenticationSessions>;
export type AuthenticationSession = ItemOf<typeof listAuthenticationSessions, 'items'>;

/** Authentication sessions of the logged-in subject. */
export interface Logins {
  /** Active ones, newest first. @example const others = (await login.logins.list().toArray()).filter((one) => !one.isCurrent); */
  list(query?: { pageSize?: number }): Listing<Page, AuthenticationSession>;
  /** Ends this login, by the access token or the token given. */
  revokeCurrent(token?: string): Promise<void>;
  revoke(referenceNumber: string): Promise<void>;
}

export function createLogins(transport: Transport): Logins {
  return {
    list: (query = {}) => continuedListing(transport, listAuthenticationSessions, { query }, 'items'),
    revokeCurrent: (token) => transport.call(revokeCurrentSession, token === undefined ? {} : { token }),
    revoke: (referenceNumber) => transport.call(revokeSession, { params: { referenceNumber } }),
  };
}
