import type { Io } from './io.ts';
import { clientFor, LOGIN_HELP, LOGIN_OPTIONS, logIn, SERVICE_HELP } from './login-options.ts';
import { Misuse, OK, readArguments, runCommand } from './run-command.ts';

const HELP = `Usage: kwit login (--nip <nip> | --pesel <pesel> | --cert <file> --key <file> | --token <token>) [options]

Logs in and prints an access token, ready for 'Authorization: Bearer ...' and for KWIT_ACCESS_TOKEN:

  export KWIT_ACCESS_TOKEN=$(kwit login --nip 5265877635)

${LOGIN_HELP}

${SERVICE_HELP}

  --json                   all of it: reference number, access and refresh token with their ends

Exit code 0: logged in, 1: refused, 2: wrong command line.`;

/** `kwit login ...` */
export function loginCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'login', help: HELP, args }, async () => {
    const { values, positionals } = readArguments(args, { ...LOGIN_OPTIONS, json: { type: 'boolean' } });
    if (positionals.length > 0) throw new Misuse(`'login' takes no '${positionals[0]}'.`);
    const login = await logIn(clientFor(values, io), values, io);
    const { accessToken, refreshToken } = login.tokens();
    io.out(
      values.json
        ? JSON.stringify({ referenceNumber: login.referenceNumber, accessToken, refreshToken }, undefined, 2)
        : accessToken.token,
    );
    return OK;
  });
}
