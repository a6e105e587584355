import type { InvoiceMetadata } from '@kwit/client';
import { ACCESS_HELP, ACCESS_OPTIONS, withLogin } from './access.ts';
import { FILTER_HELP, FILTER_OPTIONS, readFilters } from './invoice-filters.ts';
import type { Io } from './io.ts';
import { LOGIN_HELP, SERVICE_HELP } from './login-options.ts';
import { Misuse, OK, readArguments, runCommand } from './run-command.ts';
import { table } from './table.ts';

const DEFAULT_LIMIT = 100;

const HELP = `Usage: kwit list (--nip <nip> | --token <token> | --access-token <token> | ...) [options]

Lists invoices of the context, oldest first.

  --limit <n>              at most so many (default ${DEFAULT_LIMIT}); 0: all
  --newest                 newest first
  --json                   the whole metadata as JSON

${FILTER_HELP}

${LOGIN_HELP}
${ACCESS_HELP}

${SERVICE_HELP}

Exit code 0: done, 1: refused, 2: wrong command line.`;

/** `kwit list` */
export function listCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'list', help: HELP, args }, async () => {
    const { values, positionals } = readArguments(args, {
      ...ACCESS_OPTIONS,
      ...FILTER_OPTIONS,
      limit: { type: 'string' },
      newest: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    if (positionals.length > 0) throw new Misuse(`'${positionals[0]}' does not belong there.`);
    const filters = readFilters(values, io.environment.now());
    const most = readLimit(values.limit);
    return withLogin(values, io, async (login) => {
      const sortOrder = values.newest ? ('Desc' as const) : ('Asc' as const);
      const pageSize = most < 250 ? Math.max(10, most + 1) : 250;
      const found = await login.invoices
        .list(filters, { sortOrder, pageSize: Math.min(pageSize, 250) })
        .toArray(most + 1);
      const shown = found.slice(0, most);
      if (values.json) io.out(JSON.stringify(shown, undefined, 2));
      else
        io.out(
          [...tableOf(shown), '', `${shown.length} invoices${found.length > most ? ', and more' : ''}`].join('\n'),
        );
      return OK;
    });
  });
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  if (!/^\d{1,9}$/.test(text)) throw new Misuse(`--limit: '${text}' is no whole number.`);
  return Number(text) || Number.POSITIVE_INFINITY;
}

function tableOf(invoices: readonly InvoiceMetadata[]): string[] {
  return table(
    ['NUMBER', 'ISSUED', 'STORED', 'INVOICE', 'TYPE', 'SELLER', 'BUYER', 'GROSS', ''],
    invoices.map((i) => [
      i.svcNumber,
      i.issueDate,
      i.permanentStorageDate.slice(0, 19),
      i.invoiceNumber,
      i.invoiceType,
      i.seller.nip,
      i.buyer.identifier.value ?? '-',
      i.grossAmount.toFixed(2),
      i.currency,
    ]),
  );
}
