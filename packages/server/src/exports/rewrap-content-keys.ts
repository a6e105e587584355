import { rewrapRows, type Sealed } from '../platform/keys/rewrap-keys.ts';
import { contentBinding } from '../sessions/content-key.ts';
import { readSealedKeys, writeSealedKeys } from './sealed-key-store.ts';

/** Content keys of running exports; finished ones have none any more. */
export const exportContentKeys: Sealed = {
  name: 'exports',
  rewrap: (tx, keys) =>
    rewrapRows(keys, contentBinding, {
      read: (after) => readSealedKeys(tx, after),
      write: (rows) => writeSealedKeys(tx, rows),
    }),
};
