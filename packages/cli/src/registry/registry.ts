import { Refusal } from '@kwit/contract/refusal';
import { FAILED, Misuse } from '../run-command.ts';
import { GATEWAY } from './gateway.ts';
import { LIMITS } from './limits.ts';
import { REGISTERS } from './registers.ts';
import { show } from './show.ts';
import { type RegistryTools, wordsOf } from './tools.ts';

export const REGISTRY_HELP = `Usage: kwit registry <command> [options]

Enters what the service knows of persons and entities from outside, on every environment. An identifier is written
as Nip:5265877635, or as its value alone. Everything is in force at once; entries end and are never deleted.

  subject add <nip> --type JST|VatGroup|EnforcementAuthority --description <text>
              [--subunit <nip>=<description>]... [--from <date-time>]
  subject remove <nip>                 ends its roles and those of its subunits
  person add <nip> <pesel> --description <text> [--bailiff] [--deceased] [--from <date-time>]
  person remove <nip>                  ends the person and all that was granted to it
  attachment allow <nip>               consent to invoices with attachments
  attachment revoke <nip> [--on <day>]
  context block <context>              no more logins into it (status 480); running ones go on
  context unblock <context>
  permission grant <nip> <who> --permission <name>... --description <text>     as by paper form
  permission revoke <nip> <who>        every personal grant of <who> in the context
  limits show <identifier> [--json]
  limits set <identifier> [--online-invoices <n>] [--online-mb <n>] [--online-attachment-mb <n>]
              [--batch-invoices <n>] [--batch-mb <n>] [--batch-attachment-mb <n>]
              [--enrollments <n>] [--certificates <n>] [--requests <group>=<second>/<minute>/<hour>]...
  limits restore <identifier> [--sessions] [--certificates] [--requests]
  gateway block <context|addresses> --reason <text>     every request is 403 security-service-blocked
  gateway admit <context|addresses>    addresses: 203.0.113.7, 203.0.113.0/24 or 203.0.113.1-203.0.113.9
  gateway list
  show <identifier>                    what is entered; grants are shown by 'kwit explain'

Options
  --environment PRD        as the service has it (KWIT_ENVIRONMENT): on PRD check digits are verified

Exit code 0: done, 1: refused, 2: wrong command line.`;

const COMMANDS = { ...REGISTERS, ...LIMITS, ...GATEWAY };

/** `kwit registry ...`. */
export async function runRegistry(args: readonly string[], tools: RegistryTools): Promise<number> {
  const [first, second, ...rest] = args;
  if (first === undefined) throw new Misuse("'registry' needs a command.");
  const name = `${first} ${second ?? ''}`;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (first === 'show') return await show(tools, args.slice(1));
    if (!command) throw new Misuse(`There is no command 'registry ${name.trim()}'.`);
    return await command(tools, rest);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tools.io.err(wordsOf(error));
    return FAILED;
  }
}
