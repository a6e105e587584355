import { TOKEN_PERMISSIONS, TOKEN_STATUSES, type TokenPermission, type TokenStatus } from '@kwit/contract/enumerations';
import { ACCESS_HELP, ACCESS_OPTIONS, withLogin } from './access.ts';
import type { Io } from './io.ts';
import { LOGIN_HELP, SERVICE_HELP } from './login-options.ts';
import { Misuse, OK, readArguments, runCommand } from './run-command.ts';
import { table } from './table.ts';

const HELP = `Usage: kwit token <command> [options]

  create                   makes a system token and prints it: the only time it is shown
  list                     shows the tokens of the context
  revoke <number>...       revokes tokens

create
  --permissions <list>     comma-separated: ${TOKEN_PERMISSIONS.join(', ')}
  --description <text>     5 to 256 characters
list
  --status <list>          only these: ${TOKEN_STATUSES.join(', ')}

${LOGIN_HELP}
${ACCESS_HELP}

${SERVICE_HELP}

  --json                   create, list: as JSON

Exit code 0: done, 1: refused, 2: wrong command line.`;

const OPTIONS = {
  ...ACCESS_OPTIONS,
  permissions: { type: 'string' },
  description: { type: 'string' },
  status: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const read = (args: readonly string[]) => readArguments(args, OPTIONS);
type Values = ReturnType<typeof read>['values'];

/** `kwit token create | list | revoke` */
export function tokenCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'token', help: HELP, args }, async () => {
    const { values, positionals } = read(args);
    const [verb, ...rest] = positionals;
    switch (verb) {
      case 'create':
        return create(none(verb, rest, values), io);
      case 'list':
        return list(none(verb, rest, values), io);
      case 'revoke':
        return revoke(rest, values, io);
      case undefined:
        throw new Misuse("'token' needs a command: create, list or revoke.");
      default:
        throw new Misuse(`There is no command 'token ${verb}'.`);
    }
  });
}

function none(verb: string, rest: readonly string[], values: Values): Values {
  if (rest.length > 0) throw new Misuse(`'token ${verb}' takes no '${rest[0]}'.`);
  return values;
}

async function create(values: Values, io: Io): Promise<number> {
  const permissions = listed('--permissions', values.permissions, TOKEN_PERMISSIONS);
  if (permissions === undefined) throw new Misuse("'token create' needs --permissions.");
  const { description } = values;
  if (description === undefined) throw new Misuse("'token create' needs --description.");
  return withLogin(values, io, async ({ systemTokens }) => {
    const made = await systemTokens.create({ permissions: permissions as TokenPermission[], description });
    await systemTokens.waitUntilActive(made.referenceNumber);
    io.out(values.json ? JSON.stringify(made, undefined, 2) : made.token);
    return OK;
  });
}

async function list(values: Values, io: Io): Promise<number> {
  const status = listed('--status', values.status, TOKEN_STATUSES) as TokenStatus[] | undefined;
  return withLogin(values, io, async ({ systemTokens }) => {
    const tokens = await systemTokens.list({ pageSize: 100, ...(status && { status }) }).toArray();
    if (values.json) io.out(JSON.stringify(tokens, undefined, 2));
    else if (tokens.length === 0) io.out('There are no tokens.');
    else {
      const rows = tokens.map((token) => [
        token.referenceNumber,
        token.status,
        `${token.authorIdentifier.type} ${token.authorIdentifier.value}`,
        token.dateCreated.slice(0, 16).replace('T', ' '),
        token.lastUseDate?.slice(0, 16).replace('T', ' ') ?? '-',
        token.requestedPermissions.join(','),
        token.description,
      ]);
      const head = ['NUMBER', 'STATUS', 'AUTHOR', 'CREATED (UTC)', 'LAST USED (UTC)', 'PERMISSIONS', 'DESCRIPTION'];
      for (const line of table(head, rows)) io.out(line);
    }
    return OK;
  });
}

async function revoke(numbers: readonly string[], values: Values, io: Io): Promise<number> {
  if (numbers.length === 0) throw new Misuse("'token revoke' needs the number of a token.");
  return withLogin(values, io, async ({ systemTokens }) => {
    for (const number of numbers) {
      await systemTokens.revoke(number);
      io.out(`Revoked ${number}.`);
    }
    return OK;
  });
}

/** `a,b` as known values in their own spelling. */
function listed(option: string, text: string | undefined, known: readonly string[]): string[] | undefined {
  if (text === undefined) return undefined;
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .map((word) => {
      const found = known.find((value) => value.toLowerCase() === word.toLowerCase());
      if (found === undefined) throw new Misuse(`${option}: '${word}' is not one of ${known.join(', ')}.`);
      return found;
    });
}
