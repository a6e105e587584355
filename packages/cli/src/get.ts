import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInvoiceNumber } from '@kwit/contract/invoice-number';
import { ACCESS_HELP, ACCESS_OPTIONS, withLogin } from './access.ts';
import type { Io } from './io.ts';
import { LOGIN_HELP, SERVICE_HELP } from './login-options.ts';
import { Misuse, OK, readArguments, runCommand } from './run-command.ts';

const HELP = `Usage: kwit get <number>... (--nip <nip> | --token <token> | --access-token <token> | ...) [options]

Downloads invoices by the numbers that the service gave them, and checks their hashes. One invoice is printed, several need a folder.

  --output <folder>        writes <number>.xml there, byte by byte as the issuer sent it

${LOGIN_HELP}
${ACCESS_HELP}

${SERVICE_HELP}

Exit code 0: done, 1: refused, 2: wrong command line.`;

/** `kwit get NUMBER...` */
export function getCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'get', help: HELP, args }, async () => {
    const { values, positionals } = readArguments(args, { ...ACCESS_OPTIONS, output: { type: 'string' } });
    const { output } = values;
    if (positionals.length === 0) throw new Misuse("'get' needs the number of an invoice.");
    if (positionals.length > 1 && output === undefined) throw new Misuse('Several invoices need --output <folder>.');
    const strange = positionals.find((number) => !isInvoiceNumber(number));
    if (strange !== undefined) throw new Misuse(`'${strange}' is no invoice number.`);
    return withLogin(values, io, async (login) => {
      if (output !== undefined) mkdirSync(output, { recursive: true });
      for (const number of positionals) {
        const { xml, hash } = await login.invoices.get(number);
        if (output === undefined) io.out(xml.toString('utf8'));
        else {
          const path = join(output, `${number}.xml`);
          writeFileSync(path, xml);
          io.out(`${path}  ${xml.length} bytes  ${hash}`);
        }
      }
      return OK;
    });
  });
}
