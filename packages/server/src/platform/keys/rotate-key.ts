import { changeKeys, KeyOperationRefused, type KeyTools } from './change-keys.ts';
import type { KeyPurpose } from './key-ring.ts';
import { inUse, PUBLISHED_OVERLAP, SECRET_OVERLAP } from './rules.ts';
import { retireKey } from './store.ts';
import { ALGORITHMS, isPublished, type KeyAlgorithm, type StoredKey } from './stored-key.ts';

export interface Rotation {
  purpose: KeyPurpose;
  algorithm?: KeyAlgorithm | undefined;
  /** Milliseconds the old keys stay listed and accepted; 'never' until they are withdrawn. The default depends on the purpose. */
  retireOldAfter?: number | 'never' | undefined;
  /** Publishes the new key ahead of time: its certificate begins only after so many milliseconds. */
  validAfter?: number | undefined;
}

/** Planned rotation: a new key beside the old ones, which end after an overlap. */
export async function rotateKey(tools: KeyTools, rotation: Rotation): Promise<StoredKey> {
  const { purpose, algorithm, validAfter = 0 } = rotation;
  if (algorithm && !ALGORITHMS[purpose].includes(algorithm))
    throw new KeyOperationRefused(`A key for ${purpose} can be ${ALGORITHMS[purpose].join(' or ')}, not ${algorithm}.`);
  if (validAfter > 0 && !isPublished(purpose))
    throw new KeyOperationRefused(`Only published keys can begin later; ${purpose} is not published.`);
  const overlap = rotation.retireOldAfter ?? defaultOverlap(purpose);
  if (overlap !== 'never' && overlap < validAfter)
    throw new KeyOperationRefused('The old key would end before the new one begins: give a longer overlap.');

  return changeKeys(tools, async (change) => {
    const old = inUse(change.keys(), purpose, change.now);
    const created = await change.create(purpose, { algorithm, validFrom: change.now + validAfter });
    if (overlap !== 'never') for (const key of old) await retireKey(change.tx, key.id, change.now + overlap);
    await change.reload();
    return change.keys().find((key) => key.id === created.id) as StoredKey;
  });
}

function defaultOverlap(purpose: KeyPurpose): number | 'never' {
  if (isPublished(purpose)) return PUBLISHED_OVERLAP;
  // Certificates of an old authority outlive its last signature; a seal is verified by what it left in the receipt.
  if (purpose === 'CertificateAuthority') return 'never';
  return purpose === 'ReceiptSeal' ? 0 : SECRET_OVERLAP;
}
