import { KeyOperationRefused } from './change-keys.ts';
import { stateOf } from './rules.ts';
import { PURPOSES, type StoredKey } from './stored-key.ts';

/**
 * The key that an operator means: by its id, by at least eight first characters of it, by its publicKeyId, or by a purpose that has
 * only one key in use.
 */
export function findKey(keys: readonly StoredKey[], reference: string, now: number): StoredKey {
  const wanted = reference.trim();
  const purpose = PURPOSES.find((name) => name.toLowerCase() === wanted.toLowerCase());
  const found = keys.filter((key) =>
    purpose
      ? key.purpose === purpose && ['active', 'retiring'].includes(stateOf(key, now))
      : key.publicPart?.publicKeyId === wanted ||
        (wanted.length >= 8 && key.id.toLowerCase().startsWith(wanted.toLowerCase())),
  );
  const [key] = found;
  if (key && found.length === 1) return key;
  if (key) throw new KeyOperationRefused(`'${wanted}' means ${found.length} keys. Give the id of one of them.`);
  throw new KeyOperationRefused(`There is no key '${wanted}'. Give an id or publicKeyId from the list of keys.`);
}
