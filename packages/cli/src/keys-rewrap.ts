import { changeMasterKey } from '@kwit/server/change-master-key';
import type { Database } from '@kwit/server/platform/db/database';
import { KeyOperationRefused } from '@kwit/server/platform/keys/change-keys';
import { configuredMasterKey, loadMasterKey, MasterKeyUnusable } from '@kwit/server/platform/keys/load-master-key';
import { type MasterKey, MasterKeyMismatch } from '@kwit/server/platform/keys/master-key';
import { adoptMasterKey, nextMasterKey } from '@kwit/server/platform/keys/replace-master-key-file';
import type { Random } from '@kwit/server/platform/random';
import type { Io } from './io.ts';
import { FAILED, Misuse, OK, readArguments } from './run-command.ts';

export interface RewrapCommand {
  database: Database;
  random: Random;
  io: Pick<Io, 'out' | 'err' | 'env'>;
  /** As the service has it: the setting, or '' for the file in the data folder. */
  masterKey: string;
  dataFolder: string;
}

/** `kwit keys rewrap`: everything under the master key goes under another one. */
export async function runRewrap(args: readonly string[], command: RewrapCommand): Promise<number> {
  const { database, random, io, masterKey, dataFolder } = command;
  const { values, positionals } = readArguments(args, { 'new-master-key': { type: 'string' } });
  if (positionals.length > 0) throw new Misuse(`'keys rewrap' takes no '${positionals[0]}'.`);
  const given = values['new-master-key'] ?? io.env.KWIT_NEW_MASTER_KEY ?? '';
  if (given === '' && masterKey !== '') {
    throw new Misuse('The master key is configured, so the new one must be given: KWIT_NEW_MASTER_KEY.');
  }
  try {
    const from = loadMasterKey({ configured: masterKey, dataFolder, random });
    const to = given === '' ? nextMasterKey(dataFolder, random) : configuredMasterKey(given, random);
    const { already, rewrapped, unreadable } = await changeMasterKey(database, { from, to });
    const counts = Object.entries(rewrapped).map(([name, count]) => `${name} ${count}`);
    io.out(
      already
        ? `Everything was wrapped under the master key ${to.id} before.`
        : `Wrapped under the master key ${to.id} instead of ${from.id}: ${counts.join(', ')}.`,
    );
    if (unreadable > 0) io.err(`${unreadable} content keys opened with neither key and were left as they are.`);
    io.out(given === '' ? replaced(dataFolder, from) : whatNext(masterKey));
    return OK;
  } catch (error) {
    const refused = [KeyOperationRefused, MasterKeyMismatch, MasterKeyUnusable].some((kind) => error instanceof kind);
    if (!refused) throw error;
    io.err((error as Error).message);
    return FAILED;
  }
}

function replaced(dataFolder: string, old: MasterKey): string {
  const kept = adoptMasterKey(dataFolder, old);
  return `The new key took the place of the old one, which is kept in ${kept}: backups made before need it.`;
}

function whatNext(configured: string): string {
  const old = configured === '' ? 'the key file of the data folder' : 'the old one';
  return `Start every node with KWIT_MASTER_KEY set to the new key. Keep ${old} with the backups made before.`;
}
