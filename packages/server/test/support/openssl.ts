import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether the independent judge is installed; tests that need it are skipped by name when it is not. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

export interface OpensslFolder {
  /** Runs openssl in the folder and gives back what it printed; throws with its complaint when it fails. */
  run(...args: string[]): string;
  /** Like `run`, but says only whether it succeeded, with everything it printed. */
  judge(...args: string[]): { ok: boolean; said: string };
  write(name: string, content: string | Uint8Array): string;
  read(name: string): Buffer;
  /** Reads a certificate or key in PEM form as DER, by openssl. */
  der(name: string): Buffer;
  remove(): void;
}

export function opensslFolder(): OpensslFolder {
  const folder = mkdtempSync(join(tmpdir(), 'kwit-openssl-'));
  const options = { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  return {
    run: (...args) => execFileSync('openssl', args, options).toString('utf8'),
    judge: (...args) => {
      const done = spawnSync('openssl', args, options);
      return { ok: done.status === 0, said: `${done.stdout}${done.stderr}` };
    },
    write: (name, content) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    },
    read: (name) => readFileSync(join(folder, name)),
    der: (name) => execFileSync('openssl', ['x509', '-in', name, '-outform', 'DER'], options),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
