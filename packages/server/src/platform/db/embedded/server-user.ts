import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EmbeddedRefusal } from './refusal.ts';

/** How to start a program of PostgreSQL, and who owns its files. */
export interface ServerUser {
  uid: number | undefined;
  gid: number | undefined;
  /** The command line and spawn options that run `file` as this user. */
  command(file: string, args: readonly string[]): { file: string; args: string[]; uid?: number; gid?: number };
}

/**
 * PostgreSQL refuses to run as root. So root hands it to the owner of the existing cluster, else to the user `postgres`, else to
 * `nobody`. Such a user often cannot walk down to the folders (a checkout in a home of mode 700): then the
 * server is given, besides its own identity, the one Linux capability to pass closed directories.
 * @param paths what the server must reach: its programs and its cluster's parent folder
 * @param owner owner of the cluster, when it exists
 */
export function chooseServerUser(paths: readonly string[], owner?: { uid: number; gid: number }): ServerUser {
  if (process.getuid?.() !== 0) {
    return { uid: undefined, gid: undefined, command: (file, args) => ({ file, args: [...args] }) };
  }
  const user = owner !== undefined && owner.uid !== 0 ? owner : (systemUser('postgres') ?? systemUser('nobody'));
  if (user === undefined) {
    throw new EmbeddedRefusal(
      'PostgreSQL does not run as root, and there is neither a user postgres nor nobody to run it as. ' +
        'Start the service as an ordinary user, add a user (useradd --system postgres), or give DATABASE_URL.',
    );
  }
  const { uid, gid } = user;
  const closed = paths.map((path) => closedDirectory(path, uid, gid)).find((path) => path !== undefined);
  if (closed === undefined) return { uid, gid, command: (file, args) => ({ file, args: [...args], uid, gid }) };

  const capability = passingCapability();
  if (capability === undefined) {
    throw new EmbeddedRefusal(
      `PostgreSQL does not run as root, and the OS user ${uid} that runs it may not enter ${closed}. ` +
        `Use another data folder or checkout, open the folder (chmod o+x '${closed}'), start the service as an ordinary user, or give DATABASE_URL.`,
    );
  }
  const prefix = [
    `--reuid=${uid}`,
    `--regid=${gid}`,
    '--clear-groups',
    `--inh-caps=+${capability}`,
    `--ambient-caps=+${capability}`,
    // Without it access(2), by which PostgreSQL looks for its own program, ignores the capability.
    '--securebits=+no_setuid_fixup',
    '--',
  ];
  return { uid, gid, command: (file, args) => ({ file: 'setpriv', args: [...prefix, file, ...args] }) };
}

function systemUser(name: string): { uid: number; gid: number } | undefined {
  let passwd: string;
  try {
    passwd = readFileSync('/etc/passwd', 'utf8');
  } catch {
    return undefined;
  }
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find((columns) => columns[0] === name);
  const uid = Number(fields?.[2]);
  const gid = Number(fields?.[3]);
  return fields !== undefined && uid > 0 && gid >= 0 ? { uid, gid } : undefined;
}

/** The first directory above `path` (or `path` itself) that the user may not enter. */
export function closedDirectory(path: string, uid: number, gid: number): string | undefined {
  const directories: string[] = [];
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    directories.unshift(folder);
    if (dirname(folder) === folder) break;
  }
  return directories.find((directory) => {
    const found = statSync(directory, { throwIfNoEntry: false });
    if (found === undefined || !found.isDirectory()) return false;
    const bit = found.uid === uid ? 0o100 : found.gid === gid ? 0o010 : 0o001;
    return (found.mode & bit) === 0;
  });
}

/** The weakest capability of ours that passes closed directories; containers usually leave root only the stronger one. */
function passingCapability(): 'dac_read_search' | 'dac_override' | undefined {
  if (process.platform !== 'linux') return undefined;
  const line = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  if (line === undefined) return undefined;
  const capabilities = BigInt(`0x${line}`);
  if (capabilities & 4n) return 'dac_read_search';
  return capabilities & 2n ? 'dac_override' : undefined;
}
