import type { Login } from '@kwit/client';
import type { Io } from './io.ts';
import { clientFor, LOGIN_OPTIONS, type LoginValues, logIn, namesLogin } from './login-options.ts';
import { Misuse } from './run-command.ts';

/** Flags of commands that work in a context: a login as `kwit login` has it, or an access token that exists already. */
export const ACCESS_OPTIONS = { ...LOGIN_OPTIONS, 'access-token': { type: 'string' } } as const;

export const ACCESS_HELP = `  --access-token <token>   instead of a login: a token of 'kwit login' (KWIT_ACCESS_TOKEN)`;

export type AccessValues = LoginValues & { 'access-token'?: string | undefined };

/** Runs with a login; one that was made for this command is ended with it. */
export async function withLogin<T>(values: AccessValues, io: Io, work: (login: Login) => Promise<T>): Promise<T> {
  const client = clientFor(values, io);
  const token = values['access-token'] ?? (namesLogin(values) ? undefined : io.env.KWIT_ACCESS_TOKEN);
  if (token) {
    // Its end is not known here; the service will say when it is over.
    return work(client.auth.resume({ accessToken: { token, validUntil: '9999-12-31T23:59:59Z' } }));
  }
  if (!namesLogin(values) && !io.env.KWIT_TOKEN) {
    throw new Misuse('Who calls? Give --nip, --pesel, --cert and --key, --token, or --access-token.');
  }
  const login = await logIn(client, values, io);
  try {
    return await work(login);
  } finally {
    // Nothing depends on it: a login that is left ends by itself.
    await login.logout().catch(() => undefined);
  }
}
