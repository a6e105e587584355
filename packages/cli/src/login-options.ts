import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  type Client,
  type Context,
  createClient,
  type Login,
  personCertificate,
  sealCertificate,
  type XadesSigner,
} from '@kwit/client';
import { checked, readContext } from './identifier.ts';
import type { Io } from './io.ts';
import { Misuse } from './run-command.ts';

/** Flags of every command that talks to a service. */
export const SERVICE_OPTIONS = {
  url: { type: 'string' },
  name: { type: 'string' },
} as const;

export const SERVICE_HELP = `Service
  --url <address>          where the service is (KWIT_URL; default http://127.0.0.1:8080)
  --name svc|ksef          the name under which it runs (KWIT_NAME; default svc)`;

/** Flags that say who logs in. */
export const LOGIN_OPTIONS = {
  ...SERVICE_OPTIONS,
  nip: { type: 'string' },
  pesel: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  token: { type: 'string' },
  context: { type: 'string' },
  fingerprint: { type: 'boolean' },
} as const;

export const LOGIN_HELP = `Who logs in (one of)
  --nip <nip>              TEST: a company, by a seal certificate made on the spot
  --pesel <pesel>          TEST: a person, by a certificate made on the spot; --nip or --context says where
  --cert <file> --key <file>
                           a certificate and its private key, PEM or DER (password in KWIT_KEY_PASSWORD);
                           --nip or --context says where; --fingerprint: identified by its fingerprint
  --token <token>          a system token (KWIT_TOKEN)

  --context <identifier>   on whose behalf, e.g. 5265877635, InternalId:5265877635-12345, PeppolId:PPL123456`;

export type ServiceValues = { url?: string | undefined; name?: string | undefined };
export type LoginValues = ServiceValues & {
  nip?: string | undefined;
  pesel?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
  token?: string | undefined;
  context?: string | undefined;
  fingerprint?: boolean | undefined;
};

const DEFAULT_URL = 'http://127.0.0.1:8080';

export function clientFor(values: ServiceValues, io: Io): Client {
  const baseUrl = values.url ?? (io.env.KWIT_URL || DEFAULT_URL);
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) {
    throw new Misuse(`--url: '${baseUrl}' is no address; expected something like ${DEFAULT_URL}.`);
  }
  const name = values.name ?? (io.env.KWIT_NAME || 'svc');
  if (name !== 'svc' && name !== 'ksef') throw new Misuse(`--name: '${name}' is not allowed; expected svc | ksef.`);
  return createClient({ baseUrl, name, environment: io.environment });
}

/** Does the command line say who logs in? */
export function namesLogin(values: LoginValues): boolean {
  return [values.nip, values.pesel, values.cert, values.token].some((flag) => flag !== undefined);
}

export async function logIn(client: Client, values: LoginValues, io: Io): Promise<Login> {
  const given = values.context === undefined ? undefined : readContext('--context', values.context);
  const nip = values.nip === undefined ? undefined : checked('--nip', 'Nip', values.nip);
  const ways = [values.pesel, values.cert, values.token].filter((way) => way !== undefined).length;
  if (ways > 1) throw new Misuse('Only one of --pesel, --cert and --token can log in.');
  const context: Context | undefined = given ?? (nip === undefined ? undefined : { type: 'Nip', value: nip });
  const validFrom = io.environment.now() - 3_600_000;

  if (values.cert !== undefined || values.key !== undefined) {
    const by = values.fingerprint ? 'certificateFingerprint' : 'certificateSubject';
    return client.auth.loginBySignature(readSigner(values, io), where(context, '--cert'), { by });
  }
  if (values.pesel !== undefined) {
    const pesel = checked('--pesel', 'Pesel', values.pesel);
    const person = personCertificate({ givenName: 'Jan', surname: 'Testowy', pesel }, { validFrom });
    return client.auth.loginBySignature(person, where(context, '--pesel'));
  }
  if (values.token === undefined && nip !== undefined) {
    const seal = sealCertificate({ name: `Firma ${nip}`, nip }, { validFrom });
    return client.auth.loginBySignature(seal, where(context, '--nip'));
  }
  const token = values.token ?? io.env.KWIT_TOKEN;
  if (!token) throw new Misuse('Who logs in? Give --nip, --pesel, --cert and --key, or --token.');
  if (token.split('|').length !== 3) throw new Misuse('--token: expected number|context|secret, in quotation marks.');
  return client.auth.loginByToken(token, context);
}

function where(context: Context | undefined, option: string): Context {
  if (context) return context;
  throw new Misuse(`${option} needs --nip or --context, which say on whose behalf.`);
}

export function readSigner({ cert, key }: LoginValues, io: Io): XadesSigner {
  if (cert === undefined || key === undefined) throw new Misuse('--cert and --key belong together.');
  const [certificate, ...issuers] = certificatesOf(readInput('--cert', cert), cert);
  if (certificate === undefined) throw new Misuse(`--cert: ${cert} holds no certificate.`);
  const privateKey = privateKeyOf(readInput('--key', key), key, io);
  if (!new X509Certificate(certificate).checkPrivateKey(privateKey)) {
    throw new Misuse(`--key: ${key} is not the private key of the certificate in ${cert}.`);
  }
  return { certificate, privateKey, issuers };
}

export function readInput(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Misuse(`${option}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function certificatesOf(bytes: Buffer, path: string): Buffer[] {
  const pem = bytes.toString('latin1').match(PEM);
  try {
    return (pem ?? [bytes]).map((one) => Buffer.from(new X509Certificate(one).raw));
  } catch {
    throw new Misuse(`--cert: ${path} is no certificate in PEM or DER form.`);
  }
}

function privateKeyOf(bytes: Buffer, path: string, io: Io): KeyObject {
  const passphrase = io.env.KWIT_KEY_PASSWORD;
  const isPem = bytes.includes('-----BEGIN');
  const forms = isPem
    ? [{ key: bytes, format: 'pem' as const }]
    : (['pkcs8', 'sec1', 'pkcs1'] as const).map((type) => ({ key: bytes, format: 'der' as const, type }));
  for (const form of forms) {
    try {
      return createPrivateKey({ ...form, ...(passphrase ? { passphrase } : {}) });
    } catch {
      // Another form may fit.
    }
  }
  throw new Misuse(
    `--key: ${path} is no private key that can be read${passphrase ? '' : '; if it is encrypted, put its password into KWIT_KEY_PASSWORD'}.`,
  );
}
