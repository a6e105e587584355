import type { Endpoint, Input } from '@kwit/contract/endpoint';
import * as endpoints from '@kwit/contract/testdata-endpoints';
import type { Context } from './auth.ts';
import type { RequestInput, Transport } from './transport.ts';

type Body<E extends Endpoint> = Input<E, 'body'>;

/** Identities, permissions, consents and blocks made up for tests. They exist on TEST only. */
export interface TestData {
  /** @example await client.testData.createSubject({ subjectNip, subjectType: 'VatGroup', description: 'A VAT group' }); */
  createSubject(subject: Body<typeof endpoints.createSubject>): Promise<void>;
  removeSubject(subjectNip: string): Promise<void>;
  /** A sole trader: NIP and PESEL that belong together. */
  createPerson(person: Body<typeof endpoints.createPerson>): Promise<void>;
  removePerson(nip: string): Promise<void>;
  grantPermissions(grant: Body<typeof endpoints.grantTestPermissions>): Promise<void>;
  revokePermissions(grant: Body<typeof endpoints.revokeTestPermissions>): Promise<void>;
  allowAttachments(nip: string): Promise<void>;
  /** At once, or at the end of a day. */
  revokeAttachments(nip: string, expectedEndDate?: string): Promise<void>;
  /** Without a context the one that is logged in. */
  blockContext(context?: Context): Promise<void>;
  unblockContext(context?: Context): Promise<void>;
}

export function createTestData(transport: Transport): TestData {
  const post = async <E extends Endpoint>(endpoint: E, body: Body<E>): Promise<void> => {
    await transport.call(endpoint, { body } as RequestInput<E>);
  };
  const named = (contextIdentifier: Context | undefined) => (contextIdentifier ? { contextIdentifier } : {});
  return {
    createSubject: (subject) => post(endpoints.createSubject, subject),
    removeSubject: (subjectNip) => post(endpoints.removeSubject, { subjectNip }),
    createPerson: (person) => post(endpoints.createPerson, person),
    removePerson: (nip) => post(endpoints.removePerson, { nip }),
    grantPermissions: (grant) => post(endpoints.grantTestPermissions, grant),
    revokePermissions: (grant) => post(endpoints.revokeTestPermissions, grant),
    allowAttachments: (nip) => post(endpoints.allowAttachments, { nip }),
    revokeAttachments: (nip, expectedEndDate) =>
      post(endpoints.revokeAttachments, { nip, ...(expectedEndDate === undefined ? {} : { expectedEndDate }) }),
    blockContext: (context) => post(endpoints.blockContext, named(context)),
    unblockContext: (context) => post(endpoints.unblockContext, named(context)),
  };
}
