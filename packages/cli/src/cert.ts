import type { KeyObject } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { type CertificateInfo, type Login, makeCertificateKey, makeCertificationRequest } from '@kwit/client';
import {
  CERTIFICATE_STATUSES,
  CERTIFICATE_TYPES,
  REVOCATION_REASONS,
  type RevocationReason,
} from '@kwit/contract/enumerations';
import { ACCESS_HELP, ACCESS_OPTIONS, withLogin } from './access.ts';
import type { Io } from './io.ts';
import { LOGIN_HELP, SERVICE_HELP } from './login-options.ts';
import { FAILED, Misuse, OK, readArguments, runCommand } from './run-command.ts';
import { table } from './table.ts';

const HELP = `Usage: kwit cert <command> [options]

  enroll                   makes a key here, has it certified, and writes both to files
  list                     shows the certificates of whoever is logged in
  get <number>...          prints certificates by serial number (PEM)
  revoke <number>...       revokes certificates, for good
  limits                   how many requests and certificates are left

enroll
  --type <type>            ${CERTIFICATE_TYPES.join(' (to log in) | ')} (to sign QR codes of offline invoices)
  --label <text>           name shown in lists, 5 to 100 letters, digits, spaces, hyphens and underscores
  --out <path>             writes <path>.pem and <path>.key.pem; existing files are never overwritten
                           (the key is encrypted when KWIT_KEY_PASSWORD is set)
  --algorithm ec|rsa       kind of the key: P-256 (default) or RSA 2048
  --valid-from <time>      start of validity; default now
list
  --status <status>        ${CERTIFICATE_STATUSES.join(' | ')}
  --type <type>            ${CERTIFICATE_TYPES.join(' | ')}
  --label <text>           part of the name
revoke
  --reason <reason>        ${REVOCATION_REASONS.join(' | ')}

${LOGIN_HELP}
${ACCESS_HELP}

${SERVICE_HELP}

  --json                   list, limits: as JSON

Exit code 0: done, 1: refused, 2: wrong command line.`;

const OPTIONS = {
  ...ACCESS_OPTIONS,
  type: { type: 'string' },
  label: { type: 'string' },
  out: { type: 'string' },
  algorithm: { type: 'string' },
  'valid-from': { type: 'string' },
  status: { type: 'string' },
  reason: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const read = (args: readonly string[]) => readArguments(args, OPTIONS);
type Values = ReturnType<typeof read>['values'];

/** `kwit cert enroll | list | get | revoke | limits` */
export function certCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'cert', help: HELP, args }, async () => {
    const { values, positionals } = read(args);
    const [verb, ...rest] = positionals;
    switch (verb) {
      case 'enroll':
        return enroll(none(verb, rest, values), io);
      case 'list':
        return list(none(verb, rest, values), io);
      case 'limits':
        return limits(none(verb, rest, values), io);
      case 'get':
        return get(some(verb, rest), values, io);
      case 'revoke':
        return revoke(some(verb, rest), values, io);
      case undefined:
        throw new Misuse("'cert' needs a command: enroll, list, get, revoke or limits.");
      default:
        throw new Misuse(`There is no command 'cert ${verb}'.`);
    }
  });
}

function none(verb: string, rest: readonly string[], values: Values): Values {
  if (rest.length > 0) throw new Misuse(`'cert ${verb}' takes no '${rest[0]}'.`);
  return values;
}

function some(verb: string, rest: readonly string[]): readonly string[] {
  if (rest.length === 0) throw new Misuse(`'cert ${verb}' needs the serial number of a certificate.`);
  return rest;
}

function oneOf<const T extends string>(option: string, text: string | undefined, known: readonly T[]): T | undefined {
  if (text === undefined) return undefined;
  const found = known.find((value) => value.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw new Misuse(`${option}: '${text}' is not one of ${known.join(', ')}.`);
  return found;
}

async function enroll(values: Values, io: Io): Promise<number> {
  const type = oneOf('--type', values.type, CERTIFICATE_TYPES);
  const algorithm = oneOf('--algorithm', values.algorithm, ['ec', 'rsa'] as const);
  const { label, out } = values;
  if (type === undefined || label === undefined || out === undefined)
    throw new Misuse("'cert enroll' needs --type, --label and --out.");
  const validFrom = values['valid-from'];
  return withLogin(values, io, async ({ certificates }) => {
    const subject = await certificates.data();
    const key = makeCertificateKey(algorithm);
    // Written first: a certificate whose key was lost is worth nothing.
    writeNew(`${out}.key.pem`, keyText(key, io));
    let referenceNumber: string;
    try {
      const csr = makeCertificationRequest(subject, key).toString('base64');
      const request = { certificateName: label, certificateType: type, csr, ...(validFrom && { validFrom }) };
      ({ referenceNumber } = await certificates.enroll(request));
    } catch (error) {
      rmSync(`${out}.key.pem`, { force: true });
      throw error;
    }
    const serial = await certificates.waitFor(referenceNumber);
    const [issued] = await certificates.retrieve([serial]);
    if (!issued) throw new Error(`The certificate ${serial} was issued but is not handed out.`);
    writeNew(`${out}.pem`, pem(issued.certificate));
    io.out(`${serial}\n${out}.pem\n${out}.key.pem`);
    return OK;
  });
}

function keyText(key: KeyObject, io: Io): string {
  const passphrase = io.env.KWIT_KEY_PASSWORD;
  const encryption = passphrase ? { cipher: 'aes-256-cbc', passphrase } : {};
  return key.export({ type: 'pkcs8', format: 'pem', ...encryption }) as string;
}

/** For the owner's eyes only, and never over something that is there. */
function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Misuse(`--out: ${path} ${code === 'EEXIST' ? 'exists already' : `cannot be written (${code})`}.`);
  }
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

async function list(values: Values, io: Io): Promise<number> {
  const status = oneOf('--status', values.status, CERTIFICATE_STATUSES);
  const type = oneOf('--type', values.type, CERTIFICATE_TYPES);
  const filter = { ...(status && { status }), ...(type && { type }), ...(values.label && { name: values.label }) };
  return withLogin(values, io, async ({ certificates }) => {
    const found = await certificates.list(filter, { pageSize: 50 }).toArray();
    if (values.json) io.out(JSON.stringify(found, undefined, 2));
    else if (found.length === 0) io.out('There are no certificates.');
    else for (const line of table(HEAD, found.map(toRow))) io.out(line);
    return OK;
  });
}

const HEAD = ['NUMBER', 'STATUS', 'TYPE', 'VALID (UTC)', 'LAST USED (UTC)', 'NAME', 'SUBJECT'];

function toRow(certificate: CertificateInfo): string[] {
  const { validFrom, validTo, lastUseDate, subjectIdentifier } = certificate;
  return [
    certificate.certificateSerialNumber,
    certificate.status,
    certificate.type,
    `${validFrom.slice(0, 10)} to ${validTo.slice(0, 10)}`,
    lastUseDate?.slice(0, 16).replace('T', ' ') ?? '-',
    certificate.name,
    `${certificate.commonName} (${subjectIdentifier.type} ${subjectIdentifier.value})`,
  ];
}

const AT_ONCE = 10;

async function get(serials: readonly string[], values: Values, io: Io): Promise<number> {
  return withLogin(values, io, async ({ certificates }: Login) => {
    const found: string[] = [];
    for (let at = 0; at < serials.length; at += AT_ONCE) {
      for (const { serialNumber, certificate } of await certificates.retrieve(serials.slice(at, at + AT_ONCE))) {
        found.push(serialNumber);
        io.out(pem(certificate).trimEnd());
      }
    }
    const missing = serials.filter((serial) => !found.includes(serial));
    if (missing.length > 0) io.err(`Not among your certificates: ${missing.join(', ')}.`);
    return missing.length > 0 ? FAILED : OK;
  });
}

async function revoke(serials: readonly string[], values: Values, io: Io): Promise<number> {
  const reason: RevocationReason | undefined = oneOf('--reason', values.reason, REVOCATION_REASONS);
  return withLogin(values, io, async ({ certificates }) => {
    for (const serial of serials) {
      await certificates.revoke(serial, reason);
      io.out(`Revoked ${serial}.`);
    }
    return OK;
  });
}

async function limits(values: Values, io: Io): Promise<number> {
  return withLogin(values, io, async ({ certificates }) => {
    const { canRequest, enrollment, certificate } = await certificates.limits();
    if (values.json) io.out(JSON.stringify({ canRequest, enrollment, certificate }, undefined, 2));
    else {
      io.out(`${enrollment.remaining} of ${enrollment.limit} requests are left (in 30 days).`);
      io.out(`${certificate.remaining} of ${certificate.limit} certificates are left.`);
      io.out(canRequest ? 'Another certificate may be requested.' : 'No further certificate may be requested.');
    }
    return OK;
  });
}
