import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { SETTINGS } from '../src/config.ts';
import { isAlive } from '../src/platform/db/embedded/processes.ts';
import { exchangeRaw } from './support/raw-http.ts';
import { postmasterOf, runKwit, serveKwit } from './support/served.ts';

/** The command as its users run it: a process of its own. */
const folder = mkdtempSync(join(tmpdir(), 'kwit start '));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

async function outcome(args: readonly string[], environment?: Record<string, string>) {
  const run = runKwit(args, environment);
  const { code } = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

describe('settings', () => {
  test('--help prints every setting with its flag, variable, default and meaning, and starts nothing', async () => {
    const { code, stdout } = await outcome(['serve', '--help']);
    expect(code).toBe(0);
    for (const { flag, variable, meaning } of Object.values(SETTINGS)) {
      const line = stdout.split('\n').find((text) => text.startsWith(`--${flag} `));
      expect(line).toContain(variable);
      expect(line).toContain(meaning);
    }
  });

  test.each<[string[], Record<string, string>, string[]]>([
    [['--port', '99999'], {}, ['--port', '"99999"', 'from 0 to 65535']],
    [['--environment', 'STAGING'], {}, ['--environment', '"STAGING"', 'TEST | DEMO | PRD']],
    [[], { KWIT_NAME: 'other' }, ['KWIT_NAME', '"other"', 'svc | ksef']],
    [['--prot', '1'], {}, ['--prot', '--help']],
    [['--port'], {}, ['--port', 'missing', 'from 0 to 65535']],
  ])('%j %j ends with 2 and says what is allowed', async (args, environment, words) => {
    const { code, stderr } = await outcome(['serve', ...args], environment);
    expect(code).toBe(2);
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('a secret is not repeated', async () => {
    const { code, stderr } = await outcome(['serve', '--master-key', 'hunter2']);
    expect(code).toBe(2);
    expect(stderr).toContain('32 bytes in Base64 or hexadecimal');
    expect(stderr).not.toContain('hunter2');
  });
});

describe('a running service', () => {
  const data = join(folder, 'data');

  test('prints where it is, refuses a second instance and a taken port, and ends with 0 when it has finished what it began', async () => {
    const served = await serveKwit(['--data', data, '--port', '0']);
    const printed = served.output();
    for (const word of ['ready after', served.url, 'environment  TEST', 'name svc', data, `${served.url}/docs`]) {
      expect(printed).toContain(word);
    }
    expect(printed.trim().split('\n').length).toBeLessThanOrEqual(6);

    const [second, portTaken] = await Promise.all([
      outcome(['serve', '--data', data, '--port', '0']),
      outcome(['serve', '--ephemeral', '--port', new URL(served.url).port]),
    ]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(data);
    expect(second.stderr).toMatch(/in use by another instance .*\(process \d+\)/);
    expect(portTaken.code).toBe(1);
    expect(portTaken.stderr).toContain(`The port ${new URL(served.url).port} of 127.0.0.1 is taken`);
    // The refused ones did no harm.
    expect((await fetch(`${served.url}/health/ready`)).status).toBe(200);

    const postmaster = postmasterOf(data) as number;
    expect(isAlive(postmaster)).toBe(true);
    // A request whose body comes slowly is under way while the service is told to stop.
    const { host } = new URL(served.url);
    const head = `POST /auth/challenge HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n`;
    let finish: () => void = () => undefined;
    const underWay = exchangeRaw(served.url, head, {
      sent: (write) => {
        finish = () => write('{}');
      },
    });
    // Answered on another connection after the first one: the service has read the slow head by now.
    await fetch(`${served.url}/health/live`);
    served.process.kill('SIGTERM');
    await refusesConnections(served.url);
    finish();
    expect((await underWay).answers.map((answer) => answer.status)).toEqual([200]);
    expect(await served.ended).toEqual({ code: 0, signal: null });
    expect(isAlive(postmaster)).toBe(false);
    // An orderly end is nothing to talk about.
    expect(served.output()).toBe(printed);
  }, 60_000);

  test('told to stop while it is still starting, it stops in order and leaves no PostgreSQL behind', async () => {
    const other = join(folder, 'stopped early');
    const run = runKwit(['serve', '--data', other, '--port', '0']);
    while (postmasterOf(other) === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    const postmaster = postmasterOf(other) as number;
    run.process.kill('SIGTERM');
    expect(await run.ended).toEqual({ code: 0, signal: null });
    expect(isAlive(postmaster)).toBe(false);
  }, 60_000);

  test('with --ephemeral nothing is left behind', async () => {
    const temporary = mkdtempSync(join(folder, 'tmp-'));
    const served = await serveKwit(['--ephemeral', '--port', '0'], { TMPDIR: temporary });
    expect(readdirSync(temporary)).toHaveLength(1);
    expect(await served.end('SIGINT')).toEqual({ code: 0, signal: null });
    expect(readdirSync(temporary)).toEqual([]);
  }, 60_000);
});

/** New connections are refused: the service is closing. */
async function refusesConnections(url: string): Promise<void> {
  for (;;) {
    try {
      await (await fetch(`${url}/health/live`, { headers: { connection: 'close' } })).arrayBuffer();
    } catch {
      return;
    }
  }
}
