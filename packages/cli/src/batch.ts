import { closeSync, mkdirSync, openSync, readdirSync, readSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { statusText } from '@kwit/client';
import { type BatchFile, type BatchProgress, type BatchResult, sendBatch } from '@kwit/client/batch';
import { SYSTEM_CODES, type SystemCode } from '@kwit/contract/invoice-forms';
import { BATCH_LIMITS, MEGABYTE } from '@kwit/contract/limits';
import { ACCESS_HELP, ACCESS_OPTIONS, withLogin } from './access.ts';
import { guessForm, readForm } from './invoice-files.ts';
import type { Io } from './io.ts';
import { LOGIN_HELP, SERVICE_HELP } from './login-options.ts';
import { createProgress, type Progress } from './progress.ts';
import { FAILED, Misuse, OK, readArguments, runCommand } from './run-command.ts';
import { table } from './table.ts';

const HELP = `Usage: kwit batch <file or folder>... (--nip <nip> | --token <token> | --access-token <token> | ...) [options]

Sends invoices as one package: packs, encrypts and uploads it, follows its processing, and prints what became of the invoices.
Of a folder every .xml file in it is taken.

  --tar-gz                 pack as tar.gz instead of zip
  --part-size <size>       size of a part before encryption, e.g. 25MB, 500kB; at most 100MB (default: 10MB, more for large packages)
  --parallel <n>           parts uploaded at once, 1 to 50 (default 4)
  --form <form>            one of ${SYSTEM_CODES.join(', ')}; default: as the documents say
  --offline                the invoices were issued offline
  --receipts <folder>      saves the signed receipts of the package there
  --all                    list accepted invoices too, not only refused ones
  --json                   the results as JSON

${LOGIN_HELP}
${ACCESS_HELP}

${SERVICE_HELP}

Exit code 0: all accepted, 1: any refused, 2: wrong command line.`;

/** `kwit batch FILE...` */
export function batchCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'batch', help: HELP, args }, async () => {
    const { values, positionals } = readArguments(args, {
      ...ACCESS_OPTIONS,
      'tar-gz': { type: 'boolean' },
      'part-size': { type: 'string' },
      parallel: { type: 'string' },
      form: { type: 'string' },
      offline: { type: 'boolean' },
      receipts: { type: 'string' },
      all: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    const paths = filesOf(positionals);
    const partBytes = readSize(values['part-size']);
    const options = {
      compression: values['tar-gz'] ? ('TarGz' as const) : ('Zip' as const),
      form: readForm(values.form) ?? formOf(paths),
      offlineMode: values.offline ?? false,
      parallel: readParallel(values.parallel),
      ...(partBytes === undefined ? {} : { partBytes }),
    };
    return withLogin(values, io, async (login) => {
      const progress = createProgress(io.progress);
      const onProgress = (at: BatchProgress) => show(progress, at);
      const result = await sendBatch(login.transport, batchFiles(paths), { ...options, onProgress }).finally(() =>
        progress.end(),
      );
      if (values.receipts !== undefined) saveReceipts(result, values.receipts);
      const { session, referenceNumber, invoices } = result;
      io.out(
        values.json
          ? JSON.stringify({ referenceNumber, session, invoices }, undefined, 2)
          : summary(result, values.all ?? false).join('\n'),
      );
      return session.status.code === 200 && session.failedInvoiceCount === 0 ? OK : FAILED;
    });
  });
}

function filesOf(positionals: readonly string[]): string[] {
  if (positionals.length === 0) throw new Misuse("'batch' needs at least one file or folder.");
  const paths = positionals.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) throw new Misuse(`file: ${path} cannot be read (ENOENT).`);
    if (!found.isDirectory()) return [path];
    const inside = readdirSync(path).filter((name) => /\.xml$/i.test(name));
    if (inside.length === 0) throw new Misuse(`The folder ${path} holds no .xml file.`);
    return inside.sort().map((name) => join(path, name));
  });
  if (new Set(paths).size < paths.length) throw new Misuse('A file is named twice.');
  return paths;
}

const UNITS: Record<string, number> = { '': 1, b: 1, kb: 1_000, mb: MEGABYTE };

function readSize(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits, unit = ''] = /^(\d{1,9})\s*(b|kb|mb)?$/i.exec(text) ?? [];
  const bytes = Number(digits) * (UNITS[unit.toLowerCase()] ?? 1);
  if (digits !== undefined && bytes >= 1 && bytes <= BATCH_LIMITS.maxPartBytes) return bytes;
  throw new Misuse(`--part-size: '${text}' is not allowed; expected 1 to 100MB, e.g. 25MB.`);
}

function readParallel(text = '4'): number {
  const parallel = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (parallel >= 1 && parallel <= BATCH_LIMITS.maxParts) return parallel;
  throw new Misuse(`--parallel: '${text}' is not allowed; expected 1 to ${BATCH_LIMITS.maxParts}.`);
}

/** All documents of a package are of one form; only their beginnings are read. */
function formOf(paths: readonly string[]): SystemCode {
  const head = Buffer.alloc(8_192);
  let first: { form: SystemCode; path: string } | undefined;
  for (const path of paths) {
    const file = openSync(path, 'r');
    const form = guessForm(head.subarray(0, readSync(file, head)));
    closeSync(file);
    first ??= { form, path };
    if (form !== first.form) {
      throw new Misuse(`A package has one form: ${first.path} is ${first.form}, ${path} is ${form}. Send them apart.`);
    }
  }
  return first?.form ?? 'FA (3)';
}

/** Files keep their names; those that meet in a package are told apart by their folders, and then by a number. */
function batchFiles(paths: readonly string[]): (BatchFile & { path: string })[] {
  const taken = new Set<string>();
  return paths.map((path) => {
    const parts = path.split(sep).filter((part) => part !== '' && part !== '.' && part !== '..' && !part.endsWith(':'));
    let name = basename(path);
    for (let depth = 2; taken.has(name) && depth <= parts.length; depth += 1) name = parts.slice(-depth).join('/');
    for (let n = 2; taken.has(name); n += 1) name = `${n}-${basename(path)}`;
    taken.add(name);
    return { name, path, size: statSync(path).size, read: () => readFile(path) };
  });
}

function show(progress: Progress, at: BatchProgress): void {
  const megabytes = (bytes: number) => Math.round(bytes / 100_000) / 10;
  if (at.step === 'uploading') progress.show('uploaded, MB', megabytes(at.done), megabytes(at.of));
  else if (at.step === 'packing') progress.show('packed', at.done, at.of);
  else progress.show('judged', at.done, at.of);
}

function summary({ session, referenceNumber, invoices, receipts }: BatchResult, all: boolean): string[] {
  const listed = invoices.filter(({ status }) => all || status.code !== 200);
  const rows = listed.flatMap(({ invoiceFileName, status, svcNumber }) => [
    [invoiceFileName ?? '', `${status.code} ${status.description}`, svcNumber ?? '-', status.details?.[0] ?? ''],
    ...(status.details ?? []).slice(1).map((detail) => ['', '', '', detail]),
  ]);
  const { successfulInvoiceCount: accepted, failedInvoiceCount: refused, invoiceCount } = session;
  return [
    ...(rows.length > 0 ? [...table(['FILE', 'STATUS', 'NUMBER', 'DETAILS'], rows), ''] : []),
    `Session ${referenceNumber}: ${statusText(session.status)}`,
    ...(invoiceCount === undefined ? [] : [`${accepted} of ${invoiceCount} accepted, ${refused} refused`]),
    ...receipts.map(({ referenceNumber: upo }) => `Receipt ${upo}`),
  ];
}

function saveReceipts({ referenceNumber, receipts }: BatchResult, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const page of receipts) {
    writeFileSync(join(folder, `session-${referenceNumber}-${page.referenceNumber}.xml`), page.xml);
  }
}
