import { resolve } from 'node:path';
import { BATCH_LIMITS, EXPORT_LIMITS, LIFETIMES } from '@kwit/contract/limits';
import { integer, oneOf, onOff, PROXY, retentionDays, type Setting, setting, text, url } from './setting-values.ts';

const LONGEST_EXPORT_DAYS = LIFETIMES.exportPackage / 86_400_000;

/**
 * Every setting of the service in one table. A flag wins over its environment variable, that over the default.
 * `--help` prints the table; a bad value ends the start with exit code 2 and a message that names setting, value and what is allowed.
 */
export const SETTINGS = {
  host: setting({
    flag: 'host',
    variable: 'KWIT_HOST',
    fallback: '127.0.0.1',
    read: text,
    allowed: 'an address of this machine',
    meaning: 'address to listen on',
  }),
  port: setting({
    flag: 'port',
    variable: 'KWIT_PORT',
    fallback: 8080,
    ...integer(0, 65535),
    meaning: 'port to listen on; 0 takes a free one',
  }),
  name: setting({
    flag: 'name',
    variable: 'KWIT_NAME',
    fallback: 'svc' as 'svc' | 'ksef',
    ...oneOf('svc', 'ksef'),
    meaning: 'name under which the service answers',
  }),
  environment: setting({
    flag: 'environment',
    variable: 'KWIT_ENVIRONMENT',
    fallback: 'TEST' as 'TEST' | 'DEMO' | 'PRD',
    ...oneOf('TEST', 'DEMO', 'PRD'),
    meaning: 'TEST takes self-signed certificates and has /testdata',
  }),
  data: setting({
    flag: 'data',
    variable: 'KWIT_DATA',
    fallback: './data',
    read: text,
    allowed: 'a folder',
    meaning: 'folder for the database, blobs and the master key',
  }),
  ephemeral: setting({
    flag: 'ephemeral',
    variable: 'KWIT_EPHEMERAL',
    fallback: false,
    ...onOff,
    meaning: 'throw-away data in a temporary folder, gone at the end',
  }),
  databaseUrl: setting({
    flag: 'database-url',
    variable: 'DATABASE_URL',
    fallback: '',
    ...url('postgres', 'postgresql'),
    meaning: 'PostgreSQL 15 or newer instead of the embedded one',
    secret: true,
  }),
  databasePool: setting({
    flag: 'database-pool',
    variable: 'KWIT_DATABASE_POOL',
    fallback: 16,
    ...integer(2, 200),
    meaning: 'connections to the database',
  }),
  blobs: setting({
    flag: 'blobs',
    variable: 'KWIT_BLOBS',
    fallback: '',
    allowed: 'a folder, or s3://bucket (keys from the usual AWS variables)',
    read: (value) => {
      if (/^[a-z0-9]+:\/\//i.test(value) && !/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value)) {
        throw new Error('a folder, or s3://bucket (keys from the usual AWS variables)');
      }
      return value;
    },
    meaning: 'where packages and exports are kept; default: <data>/blobs',
  }),
  s3Endpoint: setting({
    flag: 's3-endpoint',
    variable: 'AWS_ENDPOINT_URL_S3',
    fallback: '',
    ...url('http', 'https'),
    meaning: 'address of an S3 store that is not Amazon',
  }),
  redis: setting({
    flag: 'redis',
    variable: 'REDIS_URL',
    fallback: '',
    ...url('redis', 'rediss'),
    meaning: 'Redis shared by several nodes for exact request limits',
    secret: true,
  }),
  publicUrl: setting({
    flag: 'public-url',
    variable: 'KWIT_PUBLIC_URL',
    fallback: '',
    ...url('http', 'https'),
    meaning: 'address in links that are handed out; default: the one the caller used',
  }),
  qrAddresses: setting({
    flag: 'qr-addresses',
    variable: 'KWIT_QR_ADDRESSES',
    fallback: [] as string[],
    allowed: 'addresses starting with http:// or https://, separated by commas',
    read: (value) => {
      const list = value.split(',').map((v) => v.trim().replace(/\/+$/, ''));
      if (!list.every((v) => /^https?:\/\/[^/]/.test(v) && URL.canParse(v)))
        throw new Error('addresses starting with http:// or https://, separated by commas');
      return list;
    },
    meaning: 'addresses printed in verification links (QR codes), beside the one a request comes to',
  }),
  trustedProxies: setting({
    flag: 'trusted-proxies',
    variable: 'KWIT_TRUSTED_PROXIES',
    fallback: [] as string[],
    allowed: 'addresses or CIDR blocks separated by commas',
    read: (value) => {
      const list = value
        .split(',')
        .map((v) => v.trim())
        .filter((v) => v !== '');
      if (!list.every((v) => PROXY.test(v))) throw new Error('addresses or CIDR blocks separated by commas');
      return list;
    },
    meaning: 'proxies whose X-Forwarded-For is believed',
  }),
  masterKey: setting({
    flag: 'master-key',
    variable: 'KWIT_MASTER_KEY',
    fallback: '',
    allowed: '32 bytes in Base64 or hexadecimal',
    read: (value) => {
      if (!/^[0-9a-f]{64}$/i.test(value) && Buffer.from(value, 'base64').length !== 32)
        throw new Error('32 bytes in Base64 or hexadecimal');
      return value;
    },
    meaning: 'key that wraps all private keys; default: a 0600 file in the data folder',
    secret: true,
  }),
  schemas: setting({
    flag: 'schemas',
    variable: 'KWIT_SCHEMAS',
    fallback: './.schemas',
    read: text,
    allowed: 'a folder',
    meaning: 'folder with the invoice schemas (XSD)',
  }),
  trust: setting({
    flag: 'trust',
    variable: 'KWIT_TRUST',
    fallback: '',
    read: text,
    allowed: 'a folder',
    meaning: 'folder with trusted CA certificates (PEM or DER) for logins on DEMO and PRD',
  }),
  maxPartBytes: setting({
    flag: 'max-part-bytes',
    variable: 'KWIT_MAX_PART_BYTES',
    fallback: BATCH_LIMITS.maxPartBytes,
    ...integer(1, 999_999_999),
    meaning: 'largest part of a batch package before encryption',
  }),
  exportPartBytes: setting({
    flag: 'export-part-bytes',
    variable: 'KWIT_EXPORT_PART_BYTES',
    fallback: EXPORT_LIMITS.maxPartBytes,
    ...integer(1_000, EXPORT_LIMITS.maxPartBytes),
    meaning: 'largest part of an export before encryption',
  }),
  exportDays: setting({
    flag: 'export-days',
    variable: 'KWIT_EXPORT_DAYS',
    fallback: LONGEST_EXPORT_DAYS,
    ...integer(1, LONGEST_EXPORT_DAYS),
    meaning: 'days for which a finished export can be downloaded',
  }),
  keepDays: setting({
    flag: 'keep-days',
    variable: 'KWIT_KEEP_DAYS',
    fallback: 0,
    ...retentionDays,
    meaning: 'days after which ended logins, exports and refused enrollments are deleted; 0 keeps them',
  }),
  xadesMode: setting({
    flag: 'xades-mode',
    variable: 'KWIT_XADES_MODE',
    fallback: 'strict' as 'strict' | 'lenient',
    ...oneOf('strict', 'lenient'),
    meaning: 'lenient takes signatures outside of the XAdES profiles, with a warning',
  }),
  allowSha1: setting({
    flag: 'allow-sha1',
    variable: 'KWIT_ALLOW_SHA1',
    fallback: true,
    ...onOff,
    meaning: 'whether signatures of logins may use SHA-1',
  }),
  operatorSeals: setting({
    flag: 'operator-seals',
    variable: 'KWIT_OPERATOR_SEALS',
    fallback: [] as string[],
    allowed: 'SHA-256 fingerprints (64 hexadecimal digits) separated by commas',
    read: (value) => {
      const list = value
        .split(',')
        .map((v) => v.trim().toUpperCase())
        .filter((v) => v !== '');
      if (!list.every((v) => /^[0-9A-F]{64}$/.test(v))) throw new Error('fingerprints');
      return list;
    },
    meaning: 'seals of trusted-profile operators whose signatures log persons in on DEMO and PRD',
  }),
  showMethod: setting({
    flag: 'show-method',
    variable: 'KWIT_SHOW_METHOD',
    fallback: true,
    ...onOff,
    meaning: 'whether login statuses still show the deprecated authenticationMethod',
  }),
  logLevel: setting({
    flag: 'log-level',
    variable: 'KWIT_LOG_LEVEL',
    fallback: 'warn' as 'debug' | 'info' | 'warn' | 'error' | 'silent',
    ...oneOf('debug', 'info', 'warn', 'error', 'silent'),
    meaning: 'how much is logged; info logs every request',
  }),
  limiter: setting({
    flag: 'limiter',
    variable: 'KWIT_LIMITER',
    fallback: true,
    ...onOff,
    meaning: 'request limits; off for load work',
  }),
  limiterGrowth: setting({
    flag: 'limiter-growth',
    variable: 'KWIT_LIMITER_GROWTH',
    fallback: 'auto' as 'auto' | 'on' | 'off',
    ...oneOf('auto', 'on', 'off'),
    meaning: 'whether the wait grows for callers that go on during a block; auto: everywhere but on TEST',
  }),
  nightMultiplier: setting({
    flag: 'night-multiplier',
    variable: 'KWIT_NIGHT_MULTIPLIER',
    fallback: 1,
    ...integer(1, 100),
    meaning: 'request limits of downloads between 20:00 and 06:00 Warsaw time, times this',
  }),
  revocationDelay: setting({
    flag: 'revocation-delay',
    variable: 'KWIT_REVOCATION_DELAY',
    fallback: 0,
    ...integer(0, 86_400),
    meaning: 'seconds that a revoked certificate shows as Blocked first; it is unusable at once either way',
  }),
  workers: setting({
    flag: 'workers',
    variable: 'KWIT_WORKERS',
    fallback: 2,
    ...integer(1, 64),
    meaning: 'threads for XML, schemas and signatures',
  }),
} as const;

export type Config = { -readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K]['fallback'] };

export class BadSetting extends Error {}

/** Reads flags (`--port 9000`, `--port=9000`, `--ephemeral`) and the environment. Throws `BadSetting`. */
export function readConfig(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): Config {
  const flags = readFlags(args);
  const config: Record<string, unknown> = {};
  for (const [key, definition] of Object.entries(SETTINGS) as [string, Setting<unknown>][]) {
    const flag = flags.get(definition.flag);
    const variable = environment[definition.variable];
    const given = flag ?? (variable === '' ? undefined : variable);
    const source = flag === undefined ? definition.variable : `--${definition.flag}`;
    config[key] = given === undefined ? definition.fallback : readValue(definition, source, given);
  }
  const result = config as Config;
  result.data = resolve(result.data);
  result.schemas = resolve(result.schemas);
  return result;
}

function readValue(definition: Setting<unknown>, source: string, given: string): unknown {
  try {
    return definition.read(given);
  } catch {
    const shown = definition.secret ? 'the given value' : JSON.stringify(given);
    throw new BadSetting(`${source}: ${shown} is not allowed; expected ${definition.allowed}.`);
  }
}

function readFlags(args: readonly string[]): Map<string, string> {
  const known = new Map<string, Setting<unknown>>(Object.values(SETTINGS).map((s) => [s.flag, s as Setting<unknown>]));
  const flags = new Map<string, string>();
  for (let i = 0; i < args.length; i += 1) {
    const match = /^--([a-z0-9-]+)(?:=(.*))?$/s.exec(args[i] ?? '');
    const definition = match?.[1] === undefined ? undefined : known.get(match[1]);
    if (!match || !definition) {
      throw new BadSetting(`${args[i]}: unknown argument; --help lists the settings.`);
    }
    const next = args[i + 1];
    if (match[2] !== undefined) flags.set(definition.flag, match[2]);
    else if (typeof definition.fallback === 'boolean' && (next === undefined || next.startsWith('--')))
      flags.set(definition.flag, 'on');
    else if (next === undefined)
      throw new BadSetting(`--${definition.flag}: a value is missing; expected ${definition.allowed}.`);
    else {
      flags.set(definition.flag, next);
      i += 1;
    }
  }
  return flags;
}

/** The table for `--help`. */
export function describeSettings(): string {
  const lines = (Object.values(SETTINGS) as Setting<unknown>[]).map((s) => {
    const fallback =
      Array.isArray(s.fallback) || s.fallback === ''
        ? '-'
        : s.fallback === true
          ? 'on'
          : s.fallback === false
            ? 'off'
            : String(s.fallback);
    return [`--${s.flag}`, s.variable, fallback, `${s.meaning} (${s.allowed})`] as const;
  });
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** What is in force, for the log: secrets are masked. */
export function maskedConfig(config: Config): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(SETTINGS).map(([key, s]) => {
      const value = config[key as keyof Config];
      return [key, 'secret' in s && s.secret && value !== '' ? '***' : value];
    }),
  );
}
