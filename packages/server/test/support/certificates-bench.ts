import type { KeyObject } from 'node:crypto';
import {
  type CertificateSubject,
  makeCertificateKey,
  makeCertificationRequest,
} from '@kwit/client/certification-request';
import type { CertificateType } from '@kwit/contract/enumerations';
import { CERTIFICATE_LIMITS, type CertificateLimits } from '@kwit/contract/limits';
import { createReferenceNumbers } from '@kwit/contract/reference-number';
import type { Login } from '../../src/auth/read-login.ts';
import type { CertificatesDeps } from '../../src/certificates/deps.ts';
import { enroll } from '../../src/certificates/enroll.ts';
import { enrollmentQueue } from '../../src/certificates/process-enrollment.ts';
import { listQueue } from '../../src/certificates/publish-list.ts';
import { readEnrollment } from '../../src/certificates/read-enrollment.ts';
import { readEnrollmentData } from '../../src/certificates/read-enrollment-data.ts';
import type { Caller, SubjectIdentifier } from '../../src/platform/caller.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { createJobs } from '../../src/platform/jobs/create-jobs.ts';
import type { JobRunner } from '../../src/platform/jobs/jobs.ts';
import type { KeyTools } from '../../src/platform/keys/change-keys.ts';
import { masterKeyFrom } from '../../src/platform/keys/master-key.ts';
import { type OpenKeyRing, openKeyRing } from '../../src/platform/keys/open-key-ring.ts';
import { silentLog } from '../../src/platform/log-sink.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { NameAttribute } from '../../src/platform/x509/name.ts';
import { ATTRIBUTE } from '../../src/platform/x509/oids.ts';
import { afterFile } from './after-file.ts';
import { type TestDatabase, testDatabase } from './database.ts';

/** The capability over a real database, key ring and jobs; who is logged in, and which limits hold, is up to the test. */
export interface CertificatesBench {
  deps: CertificatesDeps;
  db: TestDatabase;
  clock: ManualClock;
  keys: OpenKeyRing;
  keyTools: KeyTools;
  runner: JobRunner;
  /** Of an identifier; the defaults unless set. */
  limits: Map<string, CertificateLimits>;
  links: SubjectIdentifier[][];
  /** Someone who signed a login with a certificate of these attributes. */
  login(subject: SubjectIdentifier, attributes: Attributes, method?: Login['method']): Caller;
  /** Sends a request that fits the login; gives its reference number. */
  request(caller: Caller, options?: RequestChoice): Promise<string>;
  /** Requests, works it off, and gives the serial number. */
  obtain(caller: Caller, options?: RequestChoice): Promise<string>;
}

export type Attributes = readonly (readonly [keyof typeof ATTRIBUTE, string])[];

export interface RequestChoice {
  key?: KeyObject;
  type?: CertificateType;
  name?: string;
  validFrom?: string;
}

export const BASE = 'https://svc.example.org';
export const START = '2026-11-16T11:00:00.250Z';

export const nameOf = (attributes: Attributes): NameAttribute[] =>
  attributes.map(([type, value]) => ({ oid: ATTRIBUTE[type], value }));

export const seal = (nip: string): Attributes => [
  ['countryName', 'PL'],
  ['organizationName', 'Zażółć S.A.'],
  ['organizationIdentifier', `VATPL-${nip}`],
  ['commonName', 'Zażółć'],
];

export const person = (pesel: string): Attributes => [
  ['givenName', 'Anna'],
  ['givenName', 'Maria'],
  ['surname', 'Żak'],
  ['serialNumber', `PNOPL-${pesel}`],
  ['commonName', 'Anna Maria Żak'],
  ['countryName', 'PL'],
];

let counter = 0;

export async function certificatesBench(): Promise<CertificatesBench> {
  const db = await testDatabase({ poolSize: 8 });
  const clock = new ManualClock(START);
  const random = systemRandom;
  const masterKey = masterKeyFrom(Buffer.alloc(32, 3), 'a test', random);
  const keyTools: KeyTools = { database: db, masterKey, clock, random };
  const keys = await openKeyRing({ ...keyTools, log: silentLog });
  const { jobs, runner } = createJobs({ database: db, clock, random, log: silentLog, nodeId: 'bench' });
  const limits = new Map<string, CertificateLimits>();
  const links: SubjectIdentifier[][] = [];
  const logins = new Map<string, Login>();
  const same = (a: SubjectIdentifier) => (b: SubjectIdentifier) => a.type === b.type && a.value === b.value;
  const deps: CertificatesDeps = {
    database: db,
    clock,
    random,
    jobs,
    references: createReferenceNumbers({ now: () => clock.now(), bytes: (n) => random.bytes(n) }),
    keys,
    limitsOf: async ({ type, value }) => limits.get(value) ?? CERTIFICATE_LIMITS[type],
    linkedIdentifiers: async (subject) => links.find((set) => set.some(same(subject))) ?? [subject],
    readLogin: async (_on, operation) => logins.get(operation),
    revocationDelayMs: 0,
  };
  runner.register(enrollmentQueue(deps));
  runner.register(listQueue(deps));
  afterFile(async () => {
    await runner.stop();
    await keys.close();
  });

  const bench: CertificatesBench = {
    deps,
    db,
    clock,
    keys,
    keyTools,
    runner,
    limits,
    links,
    login(subject, attributes, method = 'QualifiedSeal') {
      counter += 1;
      const operation = `login ${counter}`;
      const context = { type: 'Nip' as const, value: '1111111111' };
      logins.set(operation, {
        method,
        context,
        subject,
        attributes: Object.fromEntries(attributes),
        subjectName: nameOf(attributes),
        documentHash: undefined,
        systemToken: undefined,
      });
      return { kind: 'ContextToken', operation, context, subject, method, permissions: [] };
    },
    async request(caller, options = {}) {
      const data: CertificateSubject = await readEnrollmentData(deps, caller);
      const csr = makeCertificationRequest(data, options.key ?? makeCertificateKey());
      const body = {
        certificateName: options.name ?? 'Certyfikat',
        certificateType: options.type ?? 'Authentication',
        csr: csr.toString('base64'),
        ...(options.validFrom !== undefined && { validFrom: options.validFrom }),
      } as const;
      return (await enroll(deps, caller, body, BASE)).referenceNumber;
    },
    async obtain(caller, options) {
      const reference = await bench.request(caller, options);
      await runner.drain();
      const { status, certificateSerialNumber } = await readEnrollment(deps, caller, reference);
      if (certificateSerialNumber === undefined) throw new Error(`no certificate: ${JSON.stringify(status)}`);
      return certificateSerialNumber;
    },
  };
  return bench;
}
