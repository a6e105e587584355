import { writeFileSync } from 'node:fs';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { warsawDay } from '@kwit/contract/date-time';
import { isNip } from '@kwit/contract/identifiers';
import { SYSTEM_CODES } from '@kwit/contract/invoice-forms';
import { readForm } from './invoice-files.ts';
import type { Io } from './io.ts';
import { Misuse, OK, readArguments, runCommand } from './run-command.ts';

const ISSUER = '5265877635';
const OTHER = '1234563218';

const HELP = `Usage: kwit sample [options]

Prints a valid invoice, to be looked at, changed, checked and sent: kwit sample > invoice.xml

  --nip <nip>              who issues and sends it; default ${ISSUER}
  --buyer <nip>            to whom; default ${OTHER} (in FA_RR (1) the farmer who sells)
  --form <form>            one of ${SYSTEM_CODES.join(', ')}; default FA (3)
  --number <text>          its own number; default made of the time, so that no two are alike
  --output <file>          where to write it, instead of printing

Exit code 0: done, 2: wrong command line.`;

/** `kwit sample` */
export function sampleCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'sample', help: HELP, args }, async () => {
    const { values, positionals } = readArguments(args, {
      nip: { type: 'string' },
      buyer: { type: 'string' },
      form: { type: 'string' },
      number: { type: 'string' },
      output: { type: 'string' },
    });
    if (positionals.length > 0) throw new Misuse(`'sample' takes no '${positionals[0]}'.`);
    const form = readForm(values.form) ?? 'FA (3)';
    const issuer = { nip: readNip('--nip', values.nip ?? ISSUER), name: 'Przykładowa Firma' };
    const other = { nip: readNip('--buyer', values.buyer ?? OTHER), name: 'Druga Firma' };
    const now = io.environment.now();
    // The buyer of agricultural products issues the invoice for the farmer.
    const [seller, buyer] = form === 'FA_RR (1)' ? [other, issuer] : [issuer, other];
    const xml = sampleInvoice({
      form,
      seller,
      buyer,
      number: values.number ?? `FV/${now}`,
      issueDate: warsawDay(now),
      createdAt: new Date(now).toISOString(),
    });
    if (values.output === undefined) io.out(xml);
    else writeFileSync(values.output, xml);
    return OK;
  });
}

function readNip(option: string, value: string): string {
  if (!isNip(value))
    throw new Misuse(`${option}: '${value}' is not the number of a company: ten digits, not beginning with 0.`);
  return value;
}
