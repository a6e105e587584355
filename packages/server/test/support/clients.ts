import { randomBytes } from 'node:crypto';
import {
  type Client,
  type ClientOptions,
  createClient,
  type Login,
  personCertificate,
  sealCertificate,
} from '@kwit/client';
import type { Environment } from '@kwit/client/environment';
import type { TestService } from './service.ts';

/** Time of the service; waiting moves it and works off what is due, so that no test ever sleeps. */
export function testEnvironment(service: TestService): Environment {
  return {
    now: () => service.clock.now(),
    bytes: (length) => randomBytes(length),
    async wait(milliseconds) {
      service.clock.advance(milliseconds);
      await service.drain();
    },
  };
}

export function clientTo(service: TestService, options: Partial<ClientOptions> = {}): Client {
  return createClient({
    baseUrl: service.url,
    name: service.config.name,
    environment: testEnvironment(service),
    ...options,
  });
}

let counter = 0;
/** Another one at every call. Checksums do not count on TEST. */
export function nextNip(): string {
  counter += 1;
  return `53${String(10_000_000 + counter)}`;
}

export function nextPesel(): string {
  counter += 1;
  return `8810${String(1_000_000 + counter)}`;
}

const back = (service: TestService) => ({ validFrom: service.clock.now() - 3_600_000 });

export const sealOf = (service: TestService, nip: string) =>
  sealCertificate({ name: `Firma ${nip}`, nip }, back(service));

export const personOf = (service: TestService, pesel: string) =>
  personCertificate({ givenName: 'Jan', surname: 'Kowalski', pesel }, back(service));

/** The owner of a NIP, by seal. */
export function ownerOf(service: TestService, client: Client, nip: string): Promise<Login> {
  return client.auth.loginBySignature(sealOf(service, nip), { type: 'Nip', value: nip });
}

/** Requests that a client made, by method and path, with the rest of the exchange untouched. */
export function countingFetch(): { fetch: typeof globalThis.fetch; seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    fetch: (input, init) => {
      seen.push(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`);
      return fetch(input, init);
    },
  };
}
