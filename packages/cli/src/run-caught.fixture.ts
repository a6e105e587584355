import { testEnvironment } from '../../server/test/support/clients.ts';
import type { TestService } from '../../server/test/support/service.ts';
import type { Io } from './io.ts';

export type Command = (args: readonly string[], io: Io) => Promise<number>;

/** Runs a command against a service, with everything it says and draws caught. */
export async function runCaught(
  service: TestService,
  command: Command,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string; drawn: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const drawn: string[] = [];
  const code = await command(args, {
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    env: { KWIT_URL: service.url, ...env },
    progress: { columns: 80, write: (text) => drawn.push(text) },
    environment: testEnvironment(service),
  });
  return { code, out: out.join('\n'), err: err.join('\n'), drawn: drawn.join('') };
}
