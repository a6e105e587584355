import { ENVIRONMENTS } from '@kwit/contract/enumerations';
import { SYSTEM_CODES } from '@kwit/contract/invoice-forms';
import { BadSetting, readConfig } from '@kwit/server';
import { checkDocument } from '@kwit/server/invoices/check-file';
import { readForm } from './invoice-files.ts';
import type { Io } from './io.ts';
import { readInput } from './login-options.ts';
import { FAILED, Misuse, OK, readArguments, runCommand } from './run-command.ts';

const HELP = `Usage: kwit check <file>... [options]

Verifies invoices on this machine with the rules of the service: encoding, schema, identifiers, dates, amounts.
Nothing is sent. Duplicates and the right to issue can only be judged by the service itself.

  --form <form>            one of ${SYSTEM_CODES.join(', ')}; default: as each document says
  --environment <env>      ${ENVIRONMENTS.join(' | ')}, whose rules to apply (KWIT_ENVIRONMENT; default TEST)
  --schemas <folder>       folder with the invoice schemas (KWIT_SCHEMAS)
  --json                   the reports as JSON

Exit code 0: all passed, 1: any would be refused, 2: wrong command line.`;

/** `kwit check FILE...` */
export function checkCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'check', help: HELP, args }, async () => {
    const { values, positionals } = readArguments(args, {
      form: { type: 'string' },
      environment: { type: 'string' },
      schemas: { type: 'string' },
      json: { type: 'boolean' },
    });
    if (positionals.length === 0) throw new Misuse("'check' needs at least one file.");
    const form = readForm(values.form);
    const { environment, schemas } = settings(values, io);
    const files = positionals.map((path) => ({ path, bytes: readInput('file', path) }));
    const reports = files.map(({ path, bytes }) => {
      const now = io.environment.now();
      const common = { environment, now, name: path, schemaFolder: schemas };
      return { file: path, ...checkDocument(bytes, form === undefined ? common : { ...common, form }) };
    });
    if (values.json) io.out(JSON.stringify(reports.map(toJson), undefined, 2));
    else io.out(reports.map(({ text }) => text).join('\n\n'));
    return reports.every(({ passed }) => passed) ? OK : FAILED;
  });
}

function settings(values: { environment?: string; schemas?: string }, io: Io) {
  try {
    const flags = (['environment', 'schemas'] as const).flatMap((name) =>
      values[name] === undefined ? [] : [`--${name}=${values[name]}`],
    );
    const { KWIT_ENVIRONMENT, KWIT_SCHEMAS } = io.env;
    return readConfig(flags, { KWIT_ENVIRONMENT, KWIT_SCHEMAS });
  } catch (error) {
    if (error instanceof BadSetting) throw new Misuse(error.message);
    throw error;
  }
}

/** Without the text for people, which repeats the rest. */
function toJson<T extends { text: string }>({ text: _, ...report }: T): Omit<T, 'text'> {
  return report;
}
