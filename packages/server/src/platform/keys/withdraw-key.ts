import { changeKeys, KeyOperationRefused, type KeyTools } from './change-keys.ts';
import { findKey } from './find-key.ts';
import { inUse } from './rules.ts';
import { withdrawStoredKey } from './store.ts';
import type { StoredKey } from './stored-key.ts';

/**
 * Emergency: the key disappears from the list and is refused at once. When it was the last of its purpose a new
 * one takes its place in the same transaction, so that there is no moment without a key.
 */
export function withdrawKey(
  tools: KeyTools,
  reference: string,
): Promise<{ withdrawn: StoredKey; replacement: StoredKey | undefined }> {
  return changeKeys(tools, async (change) => {
    const withdrawn = findKey(change.keys(), reference, change.now);
    if (!(await withdrawStoredKey(change.tx, withdrawn.id, change.now)))
      throw new KeyOperationRefused(`The key ${withdrawn.id} was withdrawn before.`);
    await change.reload();
    const { purpose, algorithm } = withdrawn;
    const left = inUse(change.keys(), purpose, change.now).some((key) => key.retireAt === undefined);
    const replacement = left ? undefined : await change.create(purpose, { algorithm });
    return { withdrawn, replacement };
  });
}
