import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const acceptance = join(import.meta.dirname, 'acceptance.mjs');

async function run(...args: string[]): Promise<{ code: number; output: string }> {
  // The run inside is one of its own: it must not take itself for a worker of this one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(?:VITEST|KWIT_|TEST$)/.test(key)));
  const child = spawn(process.execPath, [acceptance, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}

test('a service started from the command line passes the smoke profile', { timeout: 120_000 }, async () => {
  const { code, output } = await run('--profile', 'smoke', '--name', 'ksef');
  expect(output).toContain('Acceptance: smoke under ksef passed');
  expect(code).toBe(0);
});

test('a run against nobody says so, and a wrong option is explained', async () => {
  expect(await run('--base', 'http://127.0.0.1:9')).toMatchObject({
    code: 2,
    output: expect.stringContaining('does not answer'),
  });
  expect(await run('--profile', 'most')).toMatchObject({
    code: 2,
    output: expect.stringContaining("--profile: 'most' is not one of smoke, core, full"),
  });
});
