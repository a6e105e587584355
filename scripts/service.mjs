// Starts programs of this repository as processes of their own and waits until they are ready: for the acceptance runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Runs a program and waits for a line of its output.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RegExp} ready what it prints when it is ready; the match is handed back
 * @param {{ env?: Record<string, string>, patience?: number }} [options]
 */
export async function startProgram(command, args, ready, options = {}) {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const ended = once(child, 'exit');
  const match = await new Promise((found, failed) => {
    const give = (why) => failed(new Error(`${command} ${args.join(' ')} ${why}:\n${output}`));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      give('was not ready in time');
    }, options.patience ?? 120_000);
    const read = (chunk) => {
      output = (output + chunk).slice(-100_000);
      const line = ready.exec(output);
      if (!line) return;
      clearTimeout(timer);
      found(line);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', () => give('could not be started'));
    child.on('exit', () => {
      clearTimeout(timer);
      give('ended at once');
    });
  });
  return {
    pid: child.pid,
    match,
    /** Everything printed so far, at most the last 100,000 characters. */
    output: () => output,
    async end(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    },
  };
}

/**
 * The service on a free port.
 * @param {readonly string[]} args further settings
 * @param {Record<string, string>} [env]
 */
export async function startService(args, env = {}) {
  const program = await startProgram(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join('packages', 'cli', 'src', 'kwit.ts'), 'serve', ...args],
    /^\s+address\s+(http:\S+)/m,
    { env },
  );
  return { ...program, url: program.match[1] };
}

/**
 * One run of the black-box tests.
 * @param {{ base: string, name: string, profile: string, limiter: 'on' | 'off', env?: Record<string, string>, extra?: readonly string[] }} run
 * @returns {Promise<number>} exit code
 */
export async function runTests({ base, name, profile, limiter, env = {}, extra = [] }) {
  const child = spawn(
    process.execPath,
    [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', join('test', 'vitest.config.ts'), ...extra],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        KWIT_ACCEPTANCE_BASE: base,
        KWIT_ACCEPTANCE_NAME: name,
        KWIT_ACCEPTANCE_PROFILE: profile,
        KWIT_ACCEPTANCE_LIMITER: limiter,
        ...env,
      },
    },
  );
  const [code] = await once(child, 'exit');
  return code ?? 1;
}
