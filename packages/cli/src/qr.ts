import { createHash, X509Certificate } from 'node:crypto';
import { isDate } from '@kwit/contract/date-time';
import { certificateLink, invoiceLink } from '@kwit/contract/qr-links';
import { signLinkText } from '@kwit/contract/qr-signature';
import { readConfig } from '@kwit/server';
import { checkDocument } from '@kwit/server/invoices/check-file';
import { checked, readContext } from './identifier.ts';
import type { Io } from './io.ts';
import { readInput, readSigner } from './login-options.ts';
import { FAILED, Misuse, OK, readArguments, runCommand } from './run-command.ts';

const HELP = `Usage: kwit qr <command> [options]

Links of the codes printed on invoices. They are made here; only 'check' asks a service.

  invoice <file>           code I: where anyone can see whether the service has the invoice
  certificate <file>       code II, for offline invoices: signed with an Offline certificate
  check <link>             asks whether a link is good

invoice, certificate
  --base <address>         what the link begins with (KWIT_URL; default http://127.0.0.1:8080)
  --seller <nip>           NIP of the seller; default: as the document says
  --date <yyyy-mm-dd>      invoice: day of issue; default: as the document says
certificate
  --cert <file> --key <file>
                           the certificate and its private key (password in KWIT_KEY_PASSWORD)
  --context <identifier>   on whose behalf; default: the seller
check
  --url <address>          the service to ask; default: the address in the link

Exit code 0: done, or the link is good; 1: it is not; 2: wrong command line.`;

const OPTIONS = {
  base: { type: 'string' },
  seller: { type: 'string' },
  date: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  context: { type: 'string' },
  url: { type: 'string' },
} as const;

const read = (args: readonly string[]) => readArguments(args, OPTIONS);
type Values = ReturnType<typeof read>['values'];

/** `kwit qr invoice | certificate | check` */
export function qrCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'qr', help: HELP, args }, async () => {
    const { values, positionals } = read(args);
    const [verb, what, ...rest] = positionals;
    if (verb === undefined) throw new Misuse("'qr' needs a command: invoice, certificate or check.");
    if (!['invoice', 'certificate', 'check'].includes(verb)) throw new Misuse(`There is no command 'qr ${verb}'.`);
    if (what === undefined) throw new Misuse(`'qr ${verb}' needs a ${verb === 'check' ? 'link' : 'file'}.`);
    if (rest.length > 0) throw new Misuse(`'qr ${verb}' takes no '${rest[0]}'.`);
    switch (verb) {
      case 'invoice':
        io.out(codeOne(what, values, io));
        return OK;
      case 'certificate':
        io.out(codeTwo(what, values, io));
        return OK;
      default:
        return check(what, values, io);
    }
  });
}

const DEFAULT_URL = 'http://127.0.0.1:8080';

function baseOf(values: Values, io: Io): string {
  const base = values.base ?? (io.env.KWIT_URL || DEFAULT_URL);
  if (!/^https?:\/\/[^/?#]+[^?#]*$/.test(base)) throw new Misuse(`--base: '${base}' is no address.`);
  return base;
}

function codeOne(path: string, values: Values, io: Io): string {
  const { hash, sellerNip, issueDate } = documentOf(path, values, io, true);
  return invoiceLink(baseOf(values, io), { hash, sellerNip, issueDate });
}

function codeTwo(path: string, values: Values, io: Io): string {
  const { privateKey, certificate } = readSigner(values, io);
  const { hash, sellerNip } = documentOf(path, values, io, false);
  const context =
    values.context === undefined
      ? { type: 'Nip' as const, value: sellerNip }
      : readContext('--context', values.context);
  const link = {
    contextType: context.type,
    contextValue: context.value,
    sellerNip,
    certificateSerialNumber: new X509Certificate(certificate).serialNumber,
    hash,
  };
  return certificateLink(baseOf(values, io), link, (text) => signLinkText(privateKey, text));
}

/** What a link says of a document: read from it, unless told. */
function documentOf(path: string, values: Values, io: Io, needsDate: boolean) {
  const bytes = readInput('file', path);
  const hash = createHash('sha256').update(bytes).digest();
  const { date } = values;
  if (date !== undefined && !isDate(date)) throw new Misuse(`--date: '${date}' is no day; expected yyyy-mm-dd.`);
  const seller = values.seller === undefined ? undefined : checked('--seller', 'Nip', values.seller);
  if (seller !== undefined && (date !== undefined || !needsDate))
    return { hash, sellerNip: seller, issueDate: date ?? '' };
  const { KWIT_ENVIRONMENT, KWIT_SCHEMAS } = io.env;
  const { environment, schemas } = readConfig([], { KWIT_ENVIRONMENT, KWIT_SCHEMAS });
  const { metadata, text } = checkDocument(bytes, {
    environment,
    now: io.environment.now(),
    name: path,
    schemaFolder: schemas,
  });
  if (!metadata)
    throw new Misuse(`${text}\nGive --seller${needsDate ? ' and --date' : ''}, or a document that can be read.`);
  return { hash, sellerNip: seller ?? metadata.seller.nip, issueDate: date ?? metadata.issueDate };
}

/** Sentences for the results that a verification address gives. */
const SENTENCES: readonly (readonly [string, string, string])[] = [
  ['found', 'The invoice is in the service.', 'The invoice is not in the service.'],
  ['certificateExists', 'The certificate exists.', 'There is no such certificate.'],
  ['certificateActive', 'The certificate is active.', 'The certificate is not active.'],
  ['signatureValid', 'The signature is right.', 'The signature is wrong.'],
  ['issuerAuthorized', 'The issuer may issue the invoice.', 'The issuer may not issue the invoice.'],
];

async function check(link: string, values: Values, io: Io): Promise<number> {
  const place = URL.parse(link);
  if (!place || !/^https?:$/.test(place.protocol)) throw new Misuse(`'${link}' is no link.`);
  const address = values.url === undefined ? link : `${values.url.replace(/\/+$/, '')}${place.pathname}`;
  const response = await fetch(address, { headers: { accept: 'application/json' } });
  const isJson = response.headers.get('content-type')?.includes('json');
  const result = isJson ? ((await response.json()) as Record<string, unknown>) : {};
  const told = SENTENCES.filter(([name]) => typeof result[name] === 'boolean');
  if (!response.ok || told.length === 0) {
    io.err(
      response.status === 400 ? 'This is no verification link.' : `No answer was understood (HTTP ${response.status}).`,
    );
    return FAILED;
  }
  for (const [name, yes, no] of told) io.out(result[name] ? yes : no);
  if (result.technicallyCorrected) io.out('The document was technically corrected; this is the correction:');
  for (const name of ['svcNumber', 'ksefNumber', 'issueDate', 'sellerNip', 'sellerName', 'invoicingMode', 'commonName'])
    if (result[name] !== undefined) io.out(`  ${name}: ${String(result[name])}`);
  return told.every(([name]) => result[name] === true) ? OK : FAILED;
}
