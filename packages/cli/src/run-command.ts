import { type ParseArgsConfig, parseArgs } from 'node:util';
import { describeError } from './describe-error.ts';
import type { Io } from './io.ts';

/** A wrong command line: exit code 2, like a bad setting of the service. */
export class Misuse extends Error {}

export const OK = 0;
export const FAILED = 1;
const MISUSED = 2;

/**
 * Runs a command: prints its help when asked, says what was wrong in words, and gives the exit code:
 * 0 done, 1 refused or failed, 2 wrong command line.
 */
export async function runCommand(
  io: Io,
  command: { name: string; help: string; args: readonly string[] },
  body: () => Promise<number>,
): Promise<number> {
  if (command.args.includes('--help') || command.args.includes('-h')) {
    io.out(command.help);
    return OK;
  }
  try {
    return await body();
  } catch (error) {
    if (error instanceof Misuse) {
      io.err(`${error.message}\nSee: kwit ${command.name} --help`);
      return MISUSED;
    }
    io.err(describeError(error));
    return FAILED;
  }
}

/** Reads flags and arguments; anything unknown is a misuse that names it. */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS')) throw error;
    throw new Misuse(`${(error as Error).message.split('. ')[0]}.`);
  }
}
