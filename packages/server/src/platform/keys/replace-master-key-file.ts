import { existsSync, linkSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../random.ts';
import { MASTER_KEY_FILE, masterKeyFile, syncFolder } from './load-master-key.ts';
import type { MasterKey } from './master-key.ts';

/**
 * The key that is to follow the one in the data folder. It lies on the disk before anything is wrapped with it, and stays there until
 * it takes the place of the old one: whatever ends the change half way, the next try goes on with the same key.
 */
export function nextMasterKey(dataFolder: string, random: Random): MasterKey {
  return masterKeyFile(join(dataFolder, `${MASTER_KEY_FILE}.new`), random);
}

/** Puts the new key in the place of the old one, which stays beside it under its id: older backups need it. */
export function adoptMasterKey(dataFolder: string, old: MasterKey): string {
  const place = join(dataFolder, MASTER_KEY_FILE);
  const kept = `${place}.${old.id}`;
  if (!existsSync(kept)) linkSync(place, kept);
  renameSync(`${place}.new`, place);
  syncFolder(dataFolder);
  return kept;
}
