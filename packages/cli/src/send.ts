import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Login } from '@kwit/client';
import { SYSTEM_CODES } from '@kwit/contract/invoice-forms';
import { ACCESS_HELP, ACCESS_OPTIONS, withLogin } from './access.ts';
import { readForm, readInvoiceFiles } from './invoice-files.ts';
import type { Io } from './io.ts';
import { LOGIN_HELP, SERVICE_HELP } from './login-options.ts';
import { createProgress } from './progress.ts';
import { FAILED, Misuse, OK, readArguments, runCommand } from './run-command.ts';
import { type SendResult, sendInvoices } from './send-invoices.ts';
import { table } from './table.ts';

const HELP = `Usage: kwit send <file>... (--nip <nip> | --token <token> | --access-token <token> | ...) [options]

Sends invoices in an interactive session, waits for the verdicts and prints a table of them.

  --form <form>            one of ${SYSTEM_CODES.join(', ')}; default: as each document says
  --offline                the invoices were issued offline
  --corrects <hash>        with --offline and one file: SHA-256 (Base64) of the refused invoice it corrects technically
  --receipts <folder>      saves the signed receipt of every accepted invoice there, and those of the sessions
  --json                   the results as JSON

${LOGIN_HELP}
${ACCESS_HELP}

${SERVICE_HELP}

Exit code 0: all accepted, 1: any refused, 2: wrong command line.`;

/** `kwit send FILE...` */
export function sendCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'send', help: HELP, args }, async () => {
    const { values, positionals } = readArguments(args, {
      ...ACCESS_OPTIONS,
      form: { type: 'string' },
      offline: { type: 'boolean' },
      corrects: { type: 'string' },
      receipts: { type: 'string' },
      json: { type: 'boolean' },
    });
    if (positionals.length === 0) throw new Misuse("'send' needs at least one file.");
    if (new Set(positionals).size < positionals.length) throw new Misuse('A file is named twice.');
    if (values.corrects !== undefined && (!values.offline || positionals.length > 1)) {
      throw new Misuse('--corrects goes with --offline and exactly one file.');
    }
    const files = readInvoiceFiles(positionals, readForm(values.form));
    const options = {
      offlineMode: values.offline ?? false,
      ...(values.corrects === undefined ? {} : { hashOfCorrectedInvoice: values.corrects }),
    };
    return withLogin(values, io, async (login) => {
      const progress = createProgress(io.progress);
      const results = await sendInvoices(login, files, options, progress).finally(() => progress.end());
      if (values.receipts !== undefined) await saveReceipts(login, results, values.receipts);
      io.out(values.json ? JSON.stringify(results, undefined, 2) : tableOf(results).join('\n'));
      return results.every(({ accepted }) => accepted) ? OK : FAILED;
    });
  });
}

/** Every detail on a line of its own below its file. */
function tableOf(results: readonly SendResult[]): string[] {
  const rows = results.flatMap(({ file, status, number, details }) => [
    [file, status, number ?? '-', details[0] ?? ''],
    ...details.slice(1).map((detail) => ['', '', '', detail]),
  ]);
  const accepted = results.filter((result) => result.accepted).length;
  return [
    ...table(['FILE', 'STATUS', 'NUMBER', 'DETAILS'], rows),
    '',
    `${accepted} of ${results.length} accepted, session ${[...new Set(results.map(({ session }) => session))].join(', ')}`,
  ];
}

async function saveReceipts(login: Login, results: readonly SendResult[], folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { receipts } = login.sessions;
  for (const { session, number } of results) {
    if (number === undefined) continue;
    writeFileSync(join(folder, `${number}.xml`), (await receipts.byNumber(session, number)).xml);
  }
  for (const session of new Set(results.map((result) => result.session))) {
    const { upo } = await login.sessions.read(session);
    for (const { referenceNumber } of upo?.pages ?? []) {
      const { xml } = await receipts.page(session, referenceNumber);
      writeFileSync(join(folder, `session-${session}-${referenceNumber}.xml`), xml);
    }
  }
}
