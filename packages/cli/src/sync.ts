import type { InvoiceSubjectType } from '@kwit/contract/enumerations';
import { ACCESS_HELP, ACCESS_OPTIONS, withLogin } from './access.ts';
import { readMoment, readRole } from './invoice-filters.ts';
import type { Io } from './io.ts';
import { LOGIN_HELP, SERVICE_HELP } from './login-options.ts';
import { createProgress } from './progress.ts';
import { Misuse, OK, readArguments, runCommand } from './run-command.ts';
import { table } from './table.ts';

const HELP = `Usage: kwit sync <folder> (--nip <nip> | --token <token> | --access-token <token> | ...) [options]

Keeps a folder up to date with every invoice of the context, in all of its roles: <year>/<month>/<number>.xml with its metadata beside
it. Each invoice comes once, verified by its hash. Run it again, as often as you like, stopped or not: it goes on where it was.

  --since <when>           where a new folder begins: a date, a date-time, or a time back such as 30d (default 89d)
  --as <role>              seller, buyer, third or authorized; may be given several times (default all)
  --single                 download one by one instead of by exports: better for a handful of new invoices
  --json                   the result as JSON

${LOGIN_HELP}
${ACCESS_HELP}

${SERVICE_HELP}

Exit code 0: up to date, 1: refused or failed, 2: wrong command line.`;

const ROLE_NAMES: Readonly<Record<InvoiceSubjectType, string>> = {
  Subject1: 'seller',
  Subject2: 'buyer',
  Subject3: 'third',
  SubjectAuthorized: 'authorized',
};

/** `kwit sync FOLDER` */
export function syncCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'sync', help: HELP, args }, async () => {
    const { values, positionals } = readArguments(args, {
      ...ACCESS_OPTIONS,
      since: { type: 'string' },
      as: { type: 'string', multiple: true },
      single: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    const [folder, ...more] = positionals;
    if (folder === undefined || more.length > 0) throw new Misuse("'sync' needs one folder.");
    const subjectTypes = values.as?.map((role) => readRole('--as', role));
    const since = values.since === undefined ? undefined : readMoment('--since', values.since, io.environment.now());
    return withLogin(values, io, async ({ invoices }) => {
      const progress = createProgress(io.progress);
      const report = await invoices
        .sync(folder, {
          by: values.single ? 'query' : 'export',
          ...(since === undefined ? {} : { since }),
          ...(subjectTypes === undefined ? {} : { subjectTypes }),
          onProgress: ({ subjectType, seen, added, bytes }) =>
            bytes
              ? progress.show(`${ROLE_NAMES[subjectType]} package`, bytes.done, bytes.of)
              : progress.show(`${ROLE_NAMES[subjectType]} new`, added, seen),
        })
        .finally(() => progress.end());
      if (values.json) io.out(JSON.stringify(report, undefined, 2));
      else {
        const rows = report.roles.map((r) => [ROLE_NAMES[r.subjectType], String(r.seen), String(r.added), r.position]);
        io.out([...table(['ROLE', 'SEEN', 'NEW', 'UP TO'], rows), '', `${report.added} new in ${folder}`].join('\n'));
      }
      return OK;
    });
  });
}
