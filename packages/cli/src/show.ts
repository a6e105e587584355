import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isInvoiceNumber } from '@kwit/contract/invoice-number';
import { showDocument } from '@kwit/server/pages/document/show-document';
import { ACCESS_HELP, ACCESS_OPTIONS, type AccessValues, withLogin } from './access.ts';
import type { Io } from './io.ts';
import { LOGIN_HELP, readInput, SERVICE_HELP } from './login-options.ts';
import { FAILED, Misuse, OK, readArguments, runCommand } from './run-command.ts';

const HELP = `Usage: kwit show <file or number>... [options]

Makes a page for the browser of an invoice or of a receipt (UPO): parties, lines, tax, payment, and everything else that stands in it.
A file is read from this machine; an invoice by its number is fetched from the service. One page is printed, several need a folder.
Pages load nothing and run nothing. Signatures are not verified.

  --output <path>          where to write: a file, or a folder that gets <name>.html
  --language <pl | en>     language of the labels; default pl

${LOGIN_HELP}
${ACCESS_HELP}

${SERVICE_HELP}

Exit code 0: done, 1: refused or no XML, 2: wrong command line.`;

interface Source {
  /** What the page is called without its ending. */
  name: string;
  bytes: Buffer;
  number?: string;
}

/** `kwit show FILE | NUMBER...` */
export function showCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'show', help: HELP, args }, async () => {
    const { values, positionals } = readArguments(args, {
      ...ACCESS_OPTIONS,
      output: { type: 'string' },
      language: { type: 'string' },
    });
    const { output, language = 'pl' } = values;
    if (language !== 'pl' && language !== 'en') throw new Misuse(`--language: '${language}' is neither pl nor en.`);
    if (positionals.length === 0) throw new Misuse("'show' needs a file or the number of an invoice.");
    if (positionals.length > 1 && output === undefined) throw new Misuse('Several pages need --output <folder>.');
    const sources = await read(positionals, values, io);
    let code = OK;
    for (const { bytes, name, number } of sources) {
      let page: string;
      try {
        page = showDocument(bytes, number === undefined ? { language } : { language, number });
      } catch (error) {
        if ((error as Error).name !== 'XmlUnreadable') throw error;
        io.err(`${name}: ${(error as Error).message}`);
        code = FAILED;
        continue;
      }
      if (output === undefined) io.out(page);
      else io.out(write(page, name, output, positionals.length > 1));
    }
    return code;
  });
}

/** Everything is read before anything is written; nobody logs in for files. */
async function read(wanted: readonly string[], values: AccessValues, io: Io): Promise<Source[]> {
  const files = new Map(
    wanted.filter((one) => !isInvoiceNumber(one)).map((path) => [path, readInput('file', path)] as const),
  );
  const fromFile = (path: string): Source => ({
    name: basename(path).replace(/\.xml$/i, ''),
    bytes: files.get(path) as Buffer,
  });
  if (files.size === wanted.length) return wanted.map(fromFile);
  return withLogin(values, io, async (login) => {
    const sources: Source[] = [];
    for (const one of wanted) {
      if (files.has(one)) sources.push(fromFile(one));
      else sources.push({ name: one, number: one, bytes: (await login.invoices.get(one)).xml });
    }
    return sources;
  });
}

function write(page: string, name: string, output: string, several: boolean): string {
  const isFolder =
    several || /[/\\]$/.test(output) || statSync(output, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) mkdirSync(output, { recursive: true });
  const path = isFolder ? join(output, `${name}.html`) : output;
  writeFileSync(path, page);
  return path;
}
