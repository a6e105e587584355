import { rewrapRows, type Sealed } from '../platform/keys/rewrap-keys.ts';
import { sealedColumn } from '../platform/keys/sealed-column.ts';
import { contentBinding } from './content-key.ts';
import { forgetKeysOfEndedSessions } from './sealed-key-store.ts';

/** Content keys of running sessions move to the new master key; those of ended ones are of no use and go. */
export const sessionContentKeys: Sealed = {
  name: 'sessions',
  async rewrap(tx, keys) {
    await forgetKeysOfEndedSessions(tx);
    return rewrapRows(keys, contentBinding, sealedColumn(tx, 'session'));
  },
};
