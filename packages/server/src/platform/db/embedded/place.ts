import { createHash } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../random.ts';
import { UNFINISHED } from './cluster.ts';
import { isAlive } from './processes.ts';
import { EmbeddedRefusal } from './refusal.ts';

/** Where the embedded server lives inside the data folder. */
export interface Place {
  dataFolder: string;
  /** Holds the rest: owned by the service, passable for the server's user. */
  folder: string;
  cluster: string;
  logFile: string;
  password: string;
  /** Marks the processes of this cluster. A moved folder keeps it, a copied one gets another. */
  tag: string;
}

export function preparePlace(dataFolder: string, random: Random): Place {
  const folder = makeFolder(dataFolder);
  const { dev, ino } = statSync(folder);
  const tag = createHash('sha256').update(`${dev}:${ino}`).digest('hex').slice(0, 16);
  return {
    dataFolder: realpathSync(dataFolder),
    folder,
    cluster: join(folder, 'cluster'),
    logFile: join(folder, 'server.log'),
    password: keepPassword(folder, random),
    tag: `kwit-postgres-${tag}`,
  };
}

function makeFolder(dataFolder: string): string {
  try {
    mkdirSync(dataFolder, { recursive: true });
    const folder = join(realpathSync(dataFolder), 'postgres');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const owner = statSync(folder).uid;
    if (process.getuid?.() === 0) chmodSync(folder, 0o711);
    else if (process.getuid !== undefined && owner !== process.getuid()) {
      throw new EmbeddedRefusal(
        `The data folder ${dataFolder} belongs to the OS user ${owner}, and the service runs as ${process.getuid()}. ` +
          'Start it as that user, change the owner of the folder, or choose another data folder.',
      );
    }
    return folder;
  } catch (error) {
    if (error instanceof EmbeddedRefusal) throw error;
    throw new EmbeddedRefusal(`The data folder ${dataFolder} cannot be used: ${(error as Error).message}`);
  }
}

/** The same password for all who come: written whole under another name first, and the first one to link it wins. */
function keepPassword(folder: string, random: Random): string {
  const file = join(folder, 'password');
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    const draft = `${file}${UNFINISHED}${process.pid}-${random.uuid()}`;
    writeFileSync(draft, random.bytes(32).toString('hex'), { mode: 0o600, flush: true });
    try {
      linkSync(draft, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }
  return readFileSync(file, 'utf8').trim();
}

/** What starts that were killed left behind. Those of living processes stay: they may be at it right now. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.split(UNFINISHED)[1]?.split('-')[0];
    if (pid === undefined || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // An orphaned initdb is still writing into it; the next start removes it.
    }
  }
}
