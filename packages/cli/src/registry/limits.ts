import { CONTEXT_TYPES, type ContextType } from '@kwit/contract/enumerations';
import { changeContextLimits, changeRateLimits, changeSubjectLimits } from '@kwit/contract/limit-endpoints';
import { RATE_GROUPS, type RateGroup } from '@kwit/contract/limits';
import { changeLimits } from '@kwit/server/limits/change-limits';
import { createLimitReader, type LimitReader } from '@kwit/server/limits/read-limits';
import { restoreLimits } from '@kwit/server/limits/restore-limits';
import { silentLog } from '@kwit/server/platform/log-sink';
import { Misuse, OK, readArguments } from '../run-command.ts';
import { table } from '../table.ts';
import { only } from './registers.ts';
import { type Identifier, type RegistryTools, readBody, readIdentifier } from './tools.ts';

const TYPES = ['Nip', 'InternalId', 'NipVatUe', 'PeppolId', 'Pesel', 'Fingerprint'] as const;
const SUBJECT_TYPES = ['Nip', 'Pesel', 'Fingerprint'] as const;
type Whose = Identifier<(typeof TYPES)[number]>;

const TEXT = { type: 'string' } as const;
/** `--online-invoices` and its like: which limit of which kind of session. */
const SESSION_FLAGS = {
  'online-invoices': ['onlineSession', 'maxInvoices'],
  'online-mb': ['onlineSession', 'maxInvoiceSizeInMB'],
  'online-attachment-mb': ['onlineSession', 'maxInvoiceWithAttachmentSizeInMB'],
  'batch-invoices': ['batchSession', 'maxInvoices'],
  'batch-mb': ['batchSession', 'maxInvoiceSizeInMB'],
  'batch-attachment-mb': ['batchSession', 'maxInvoiceWithAttachmentSizeInMB'],
} as const;
type SessionFlag = keyof typeof SESSION_FLAGS;
const SESSION_FLAG_NAMES = Object.keys(SESSION_FLAGS) as SessionFlag[];

/** Limits that differ from those of the contract, by the operations that change them on TEST; running nodes follow at once. */
export const LIMITS: Readonly<Record<string, (tools: RegistryTools, args: readonly string[]) => Promise<number>>> = {
  'limits show': (tools, args) => {
    const { positionals, values } = readArguments(args, { json: { type: 'boolean' } });
    const whose = readIdentifier(tools, only(positionals, 'one identifier'), TYPES);
    return withReader(tools, async (reader) => {
      tools.io.out(await shown(reader, whose, values.json === true));
      return OK;
    });
  },

  'limits set': (tools, args) => {
    const { positionals, values } = readArguments(args, {
      ...(Object.fromEntries(SESSION_FLAG_NAMES.map((name) => [name, TEXT])) as Record<SessionFlag, typeof TEXT>),
      enrollments: TEXT,
      certificates: TEXT,
      requests: { type: 'string', multiple: true },
    });
    const whose = readIdentifier(tools, only(positionals, 'one identifier'), TYPES);
    if (Object.keys(values).length === 0) throw new Misuse('Nothing to set; see --help for the names of limits.');
    return withReader(tools, async (reader) => {
      const deps = { ...tools, reader };
      // All of it is judged before any of it is written.
      const sessions = await changedSessions(reader, whose, values);
      const subject = changedCertificates(whose, values);
      const requests = await changedRequests(reader, whose, values.requests);
      if (sessions) await changeLimits(deps, 'context', whose, sessions);
      if (subject) await changeLimits(deps, 'subject', whose, subject);
      if (requests) await changeLimits(deps, 'requests', whose, requests);
      tools.io.out(await shown(reader, whose, false));
      return OK;
    });
  },

  'limits restore': (tools, args) => {
    const flag = { type: 'boolean' } as const;
    const { positionals, values } = readArguments(args, { sessions: flag, certificates: flag, requests: flag });
    const whose = readIdentifier(tools, only(positionals, 'one identifier'), TYPES);
    const all = Object.keys(values).length === 0;
    return withReader(tools, async (reader) => {
      const deps = { ...tools, reader };
      if (all || values.sessions) await restoreLimits(deps, 'context', whose);
      if (all || values.certificates) await restoreLimits(deps, 'subject', whose);
      if (all || values.requests) await restoreLimits(deps, 'requests', whose);
      tools.io.out(await shown(reader, whose, false));
      return OK;
    });
  },
};

async function withReader(tools: RegistryTools, work: (reader: LimitReader) => Promise<number>): Promise<number> {
  const { database, clock } = tools;
  const reader = createLimitReader({ database, clock, log: silentLog, environment: 'PRD' });
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
}

async function changedSessions(
  reader: LimitReader,
  whose: Whose,
  values: Partial<Record<SessionFlag, string>>,
): Promise<object | undefined> {
  const given = SESSION_FLAG_NAMES.filter((name) => values[name] !== undefined);
  if (given.length === 0) return undefined;
  const { onlineSession, batchSession } = await reader.limitsOf(contextOf(whose));
  const wanted = { onlineSession: { ...onlineSession }, batchSession: { ...batchSession } };
  for (const name of given) {
    const [kind, limit] = SESSION_FLAGS[name];
    wanted[kind] = { ...wanted[kind], [limit]: wholeNumber(`--${name}`, values[name] as string) };
  }
  const body = readBody(changeContextLimits, wanted);
  const kinds = new Set(given.map((name) => SESSION_FLAGS[name][0]));
  return Object.fromEntries([...kinds].map((kind) => [kind, body[kind]]));
}

function changedCertificates(
  whose: Whose,
  { enrollments, certificates }: { enrollments?: string | undefined; certificates?: string | undefined },
): object | undefined {
  if (enrollments === undefined && certificates === undefined) return undefined;
  if (!(SUBJECT_TYPES as readonly string[]).includes(whose.type)) {
    throw new Misuse(`Certificates belong to ${SUBJECT_TYPES.join(', ')}, not to ${whose.type}.`);
  }
  const number = (flag: string, text: string | undefined) => (text === undefined ? undefined : wholeNumber(flag, text));
  const { enrollment, certificate } = readBody(changeSubjectLimits, {
    enrollment: { maxEnrollments: number('--enrollments', enrollments) },
    certificate: { maxCertificates: number('--certificates', certificates) },
  });
  return { maxEnrollments: enrollment?.maxEnrollments, maxCertificates: certificate?.maxCertificates };
}

async function changedRequests(
  reader: LimitReader,
  whose: Whose,
  given: readonly string[] | undefined,
): Promise<object | undefined> {
  if (given === undefined) return undefined;
  const wanted = Object.fromEntries(given.map(readThresholds));
  const rateLimits = { ...(await reader.requestLimitsOf(contextOf(whose))), ...wanted };
  const body = readBody(changeRateLimits, { rateLimits });
  return Object.fromEntries(Object.keys(wanted).map((group) => [group, body.rateLimits[group as RateGroup]]));
}

/** `invoiceSend=20/60/360`: per second, minute and hour. */
function readThresholds(text: string): [RateGroup, object] {
  const [, name, perSecond, perMinute, perHour] = /^(\w+)=(\d+)\/(\d+)\/(\d+)$/.exec(text) ?? [];
  const group = RATE_GROUPS.find((one) => one.toLowerCase() === name?.toLowerCase());
  if (group === undefined) {
    throw new Misuse(`--requests is GROUP=SECOND/MINUTE/HOUR, not '${text}'. Groups: ${RATE_GROUPS.join(', ')}.`);
  }
  return [group, { perSecond: Number(perSecond), perMinute: Number(perMinute), perHour: Number(perHour) }];
}

function wholeNumber(flag: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Misuse(`${flag} is a whole number, not '${text}'.`);
}

function isContext(whose: Whose): whose is Identifier<ContextType> {
  return (CONTEXT_TYPES as readonly string[]).includes(whose.type);
}

function contextOf(whose: Whose): Identifier<ContextType> {
  if (isContext(whose)) return whose;
  throw new Misuse(`Sessions and requests are limited by context: ${CONTEXT_TYPES.join(', ')}, not ${whose.type}.`);
}

/** What is in force, whatever of it was changed. */
async function shown(reader: LimitReader, whose: Whose, asJson: boolean): Promise<string> {
  const sessions = isContext(whose) ? await reader.limitsOf(whose) : undefined;
  const requests = isContext(whose) ? await reader.requestLimitsOf(whose) : undefined;
  const certificates = (SUBJECT_TYPES as readonly string[]).includes(whose.type)
    ? await reader.certificateLimitsOf(whose as Identifier<(typeof SUBJECT_TYPES)[number]>)
    : undefined;
  if (asJson) return JSON.stringify({ sessions, certificates, requests }, undefined, 2);
  const rows = [
    ...Object.entries(sessions ?? {}).flatMap(([kind, limits]) =>
      Object.entries(limits).map(([name, value]) => [`${kind} ${name}`, String(value)]),
    ),
    ...Object.entries(certificates ?? {}).map(([name, value]) => [name, String(value)]),
    ...Object.entries(requests ?? {}).map(([group, { perSecond, perMinute, perHour }]) => [
      `requests ${group}`,
      `${perSecond}/${perMinute}/${perHour}`,
    ]),
  ];
  return table([`LIMITS OF ${whose.type} ${whose.value}`, 'VALUE'], rows).join('\n');
}
