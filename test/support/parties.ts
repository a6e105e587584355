import { randomBytes } from 'node:crypto';
import {
  ApiError,
  type Client,
  type ClientOptions,
  type Context,
  createClient,
  type Login,
  OperationFailed,
  personCertificate,
  sealCertificate,
} from '@kwit/client';
import * as samples from '@kwit/contract/identifier-samples';
import { checkedFetch } from './checked-fetch.ts';
import { raiseRequestLimits } from './request-limits.ts';
import { target } from './target.ts';

/** Whoever takes part is made up anew for every test, so that a living service can be tested again and again. */
const below = samples.belowFromBytes((length) => randomBytes(length));

export const newNip = () => samples.randomNip(below);
export const newPesel = () => samples.randomPesel(below);
export const newInternalId = (nip: string) => samples.randomInternalId(nip, below);
export const newNipVatUe = (nip: string) => samples.randomNipVatUe(nip, below);
export const newPeppolId = () => samples.randomPeppolId(below);

export const inNip = (value: string): Context => ({ type: 'Nip', value });

export function newClient(options: Partial<ClientOptions> = {}): Client {
  return createClient({ baseUrl: target.base, name: target.name, fetch: checkedFetch, ...options });
}

export const client = newClient();

export interface Company {
  nip: string;
  login: Login;
}

/** A company, logged in by its seal as the owner of its context, with the usual request limits. */
export async function newPlainCompany(nip = newNip()): Promise<Company> {
  return { nip, login: await client.auth.loginBySignature(sealOf(nip), inNip(nip)) };
}

/** The same with request limits as high as TEST allows: tests ask more often than people do. */
export async function newCompany(nip?: string): Promise<Company> {
  const company = await newPlainCompany(nip);
  if (target.limiter) await raiseRequestLimits(company.login);
  return company;
}

export const sealOf = (nip: string) => sealCertificate({ name: `Firma ${nip}`, nip });
export const personOf = (pesel: string) => personCertificate({ givenName: 'Anna', surname: 'Nowak', pesel });

export const byIdentifier = {
  subjectDetailsType: 'PersonByIdentifier' as const,
  personById: { firstName: 'Anna', lastName: 'Nowak' },
};

/** A person with the given permissions in the company's context, logged in there. */
export async function newEmployee(company: Company, permissions: readonly ('InvoiceRead' | 'InvoiceWrite')[]) {
  const pesel = newPesel();
  await grantPerson(company, { type: 'Pesel', value: pesel }, permissions);
  return { pesel, login: await client.auth.loginBySignature(personOf(pesel), inNip(company.nip)) };
}

type PersonGrant = Parameters<Login['permissions']['grantPerson']>[0];

export async function grantPerson(
  { login }: Company,
  subjectIdentifier: PersonGrant['subjectIdentifier'],
  permissions: readonly PersonGrant['permissions'][number][],
): Promise<void> {
  await login.permissions.waitFor(
    await login.permissions.grantPerson({
      subjectIdentifier,
      permissions: [...permissions],
      description: 'Acceptance test',
      subjectDetails: byIdentifier,
    }),
  );
}

/** The refusal that a request ends with; an error when it does not end with one. */
export async function refusal(attempt: Promise<unknown>): Promise<ApiError> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw error ?? new Error('The request was expected to be refused, and was not.');
}

/** The status that an operation fails with; an error when it does not fail. */
export async function failure(attempt: Promise<unknown>): Promise<OperationFailed['status']> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof OperationFailed) return error.status;
  throw error ?? new Error('The operation was expected to fail, and did not.');
}
