import type { Output } from '@kwit/contract/endpoint';
import { queryPeppolProviders } from '@kwit/contract/permission-endpoints';
import { type Auth, createAuth } from './auth.ts';
import { type ItemOf, type Listing, numberedListing } from './listing.ts';
import { createPublicKeys } from './public-keys.ts';
import { createTestData, type TestData } from './test-data.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';

/** Where the service is, under which name it runs, and how patient to be with it. */
export interface ClientOptions extends TransportOptions {}

/** The service as seen by anyone; `auth` logs in, and what a login may do hangs on the `Login` it gives back. */
export interface Client {
  auth: Auth;
  /** TEST only. */
  testData: TestData;
  /** Registered Peppol service providers. */
  peppolProviders(query?: {
    pageSize?: number;
  }): Listing<Output<typeof queryPeppolProviders>, ItemOf<typeof queryPeppolProviders, 'peppolProviders'>>;
  /** Any endpoint of the contract, without a login. */
  call: Transport['call'];
  transport: Transport;
}

/**
 * A client of one service.
 *
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:8080' });
 * const login = await client.auth.loginByToken(token);
 * const session = await login.sessions.openOnline('FA (3)');
 * const invoice = await session.waitForInvoice(await session.send(xml));
 * console.log(invoice.svcNumber);
 */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  return {
    auth: createAuth(transport, createPublicKeys(transport)),
    testData: createTestData(transport),
    peppolProviders: (query = {}) => numberedListing(transport, queryPeppolProviders, { query }, 'peppolProviders'),
    call: transport.call,
    transport,
  };
}
