import type { Endpoint, Input, Output } from '@kwit/contract/endpoint';
import {
  belowFromBytes,
  randomFingerprint,
  randomInternalId,
  randomNip,
  randomNipVatUe,
  randomPeppolId,
  randomPesel,
} from '@kwit/contract/identifier-samples';
import { getPermissionOperation } from '@kwit/contract/permission-endpoints';
import { createReader } from '@kwit/contract/read';
import { createReferenceNumbers } from '@kwit/contract/reference-number';
import { Forbidden, Refusal, refuse } from '@kwit/contract/refusal';
import { testDatabase } from '../../test/support/database.ts';
import { guard } from '../http/guard.ts';
import { noLimits } from '../http/limiter.ts';
import type { Binding } from '../platform/binding.ts';
import type { Caller, ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import { ManualClock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { createJobs } from '../platform/jobs/create-jobs.ts';
import { silentLog } from '../platform/log-sink.ts';
import { systemRandom } from '../platform/random.ts';
import { createTestData } from '../testdata/create-test-data.ts';
import { createPermissions } from './create-permissions.ts';

type Parts<E extends Endpoint> = { body?: unknown; query?: unknown; params?: Input<E, 'params'> };

export const nip = (value: string) => ({ type: 'Nip' as const, value });
export const pesel = (value: string) => ({ type: 'Pesel' as const, value });
export const print = (value: string) => ({ type: 'Fingerprint' as const, value });
export const unit = (value: string) => ({ type: 'InternalId' as const, value });
export const eu = (value: string) => ({ type: 'NipVatUe' as const, value });
export const peppol = (value: string) => ({ type: 'PeppolId' as const, value });

export type PermissionsWorld = Awaited<ReturnType<typeof createWorld>>;

/** The two capabilities over a real database, called as the frame calls them: guard, reading of the input, operation. */
export async function createWorld(options: { verifyChecksums?: boolean; database?: Database } = {}) {
  const database = options.database ?? (await testDatabase());
  const clock = new ManualClock('2026-03-01T09:00:00Z');
  const random = systemRandom;
  const references = createReferenceNumbers({ now: () => clock.now(), bytes: (n) => random.bytes(n) });
  const { jobs, runner } = createJobs({ database, clock, random, log: silentLog, nodeId: 'test' });
  const deps = { database, clock, random, references, jobs, verifyChecksums: options.verifyChecksums ?? false };
  const permissions = createPermissions(deps);
  for (const queue of permissions.queues) runner.register(queue);
  const bindings = new Map<Endpoint, Binding>();
  for (const binding of [...permissions.bindings, ...createTestData(deps).bindings])
    bindings.set(binding.endpoint, binding);
  const below = belowFromBytes((n) => random.bytes(n));

  /** Who logs in without a permission gets no tokens. */
  async function login(
    subject: SubjectIdentifier,
    context: ContextIdentifier = subject as ContextIdentifier,
  ): Promise<Caller> {
    const { permissions: held } = await permissions.permissionsOf(subject, context, clock.now(), database);
    if (held.length === 0) throw new NoPermissions(`${subject.value} holds nothing in ${context.value}`);
    return {
      kind: 'ContextToken',
      operation: references.next('AU'),
      context,
      subject,
      method: 'QualifiedSeal',
      permissions: held,
    };
  }

  async function call<const E extends Endpoint>(
    endpoint: E,
    caller: Caller | undefined,
    parts: Parts<E> = {},
  ): Promise<Output<E>> {
    const binding = bindings.get(endpoint);
    if (!binding) throw new Error(`${endpoint.id} is not bound`);
    const verify = () => {
      if (!caller) throw new Error('no token was given');
      return { bearer: caller, allowedIps: undefined, expiresAt: Number.POSITIVE_INFINITY };
    };
    const presented = { authorization: caller && 'Bearer token', clientIp: '127.0.0.1' };
    const bearer = await guard(endpoint, presented, { verifyBearer: verify, limiter: noLimits });
    const failures: string[] = [];
    const read = (schema: Endpoint['body'], source: 'json' | 'text', input: unknown) => {
      const reading = schema && createReader(schema, source)(input ?? {});
      failures.push(...(reading?.failures ?? []));
      return reading?.value;
    };
    const params = read(endpoint.params, 'text', parts.params);
    const query = read(endpoint.query, 'text', parts.query);
    const body = read(endpoint.body, 'json', parts.body);
    if (failures.length > 0) throw refuse(21405, ...failures);
    // A request takes time: later ones are newer.
    clock.advance(1);
    const answer = await binding.handle({ params, query, body, bearer } as unknown as Parameters<Binding['handle']>[0]);
    return answer as Output<E>;
  }

  async function statusOf(caller: Caller, referenceNumber: string) {
    return (await call(getPermissionOperation, caller, { params: { referenceNumber } })).status;
  }

  return {
    ...deps,
    permissions,
    runner,
    login,
    call,
    statusOf,
    /** Code with which the operation ended. */
    async op<const E extends Endpoint>(endpoint: E, caller: Caller, parts: Parts<E>): Promise<number> {
      const { referenceNumber } = (await call(endpoint, caller, parts)) as { referenceNumber: string };
      return (await statusOf(caller, referenceNumber)).code;
    },
    /** What the token of such a login lists; undefined when no login succeeds. */
    async per(subject: SubjectIdentifier, context?: ContextIdentifier): Promise<readonly string[] | undefined> {
      return login(subject, context).then(
        (caller) => caller.permissions,
        (error) => (error instanceof NoPermissions ? undefined : Promise.reject(error)),
      );
    },
    newNip: () => randomNip(below),
    newPesel: () => randomPesel(below),
    newPrint: () => randomFingerprint(below),
    newUnit: (of: string) => randomInternalId(of, below),
    newEu: (of: string) => randomNipVatUe(of, below),
    newPeppol: () => randomPeppolId(below),
  };
}

export class NoPermissions extends Error {}

/** 21405 with its details, or any other refusal as text: what a client would learn. */
export async function refusalOf(attempt: Promise<unknown>): Promise<{ code: number; details: string[] }> {
  const error = await attempt.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (!(error instanceof Refusal)) throw new Error(`expected a refusal, got ${error}`);
  const [problem] = error.problems;
  return {
    code: problem?.code ?? 0,
    details: (problem?.details ?? []).map((d) => String(d.values?.[0] ?? d.template)),
  };
}

export async function forbiddenOf(attempt: Promise<unknown>): Promise<{ reason: string; security: unknown }> {
  const error = await attempt.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (!(error instanceof Forbidden)) throw new Error(`expected 403, got ${error}`);
  return { reason: error.reason, security: error.security };
}

const byId = { subjectDetailsType: 'PersonByIdentifier', personById: { firstName: 'Maria', lastName: 'Lis' } };
const byPrint = {
  subjectDetailsType: 'PersonByFingerprintWithoutIdentifier',
  personByFpNoId: {
    firstName: 'Jan',
    lastName: 'Kos',
    birthDate: '1980-02-29',
    idDocument: { type: 'passport', number: 'AB123', country: 'PL' },
  },
};

/** Bodies of requests that are right in everything. */
export const bodies = {
  person: (subject: SubjectIdentifier, ...permissions: string[]) => ({
    subjectIdentifier: subject,
    permissions,
    description: 'accounting',
    subjectDetails: subject.type === 'Fingerprint' ? byPrint : byId,
  }),
  entity: (to: string, ...permissions: ({ type: string; canDelegate?: boolean } | string)[]) => ({
    subjectIdentifier: nip(to),
    permissions: permissions.map((p) => (typeof p === 'string' ? { type: p } : p)),
    description: 'accounting office',
    subjectDetails: { fullName: 'Office Ltd.' },
  }),
  authorization: (subject: SubjectIdentifier, permission: string) => ({
    subjectIdentifier: subject,
    permission,
    description: 'they bill for us',
    subjectDetails: { fullName: 'Partner Ltd.' },
  }),
  indirect: (
    subject: SubjectIdentifier,
    target: { type: string; value?: string } | null | undefined,
    ...permissions: string[]
  ) => ({
    subjectIdentifier: subject,
    targetIdentifier: target,
    permissions,
    description: 'handed on',
    subjectDetails: subject.type === 'Fingerprint' ? byPrint : byId,
  }),
  subunit: (subject: SubjectIdentifier, of: ContextIdentifier) => ({
    subjectIdentifier: subject,
    contextIdentifier: of,
    description: 'administrator',
    ...(of.type === 'InternalId' && { subunitName: 'Northern branch' }),
    subjectDetails: byId,
  }),
  euAdministration: (fingerprint: string, context: string) => ({
    subjectIdentifier: print(fingerprint),
    contextIdentifier: eu(context),
    description: 'self-billing partner',
    euEntityName: 'Muster GmbH, Berlin',
    subjectDetails: {
      subjectDetailsType: 'EntityByFingerprint',
      entityByFp: { fullName: 'Muster GmbH', address: 'Hauptstr. 1, Berlin' },
    },
    euEntityDetails: { fullName: 'Muster GmbH', address: 'Hauptstr. 1, Berlin' },
  }),
  euRepresentation: (fingerprint: string, ...permissions: string[]) => ({
    subjectIdentifier: print(fingerprint),
    permissions,
    description: 'representative',
    subjectDetails: byPrint,
  }),
};
