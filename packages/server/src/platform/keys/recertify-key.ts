import { changeKeys, KeyOperationRefused, type KeyTools } from './change-keys.ts';
import { findKey } from './find-key.ts';
import { stateOf } from './rules.ts';
import type { StoredCertificate, StoredKey } from './stored-key.ts';

/** A new certificate for the same key: publicKeyId stays, certificateId and validity change. */
export function recertifyKey(
  tools: KeyTools,
  reference: string,
): Promise<{ key: StoredKey; certificate: StoredCertificate }> {
  return changeKeys(tools, async (change) => {
    const key = findKey(change.keys(), reference, change.now);
    const state = stateOf(key, change.now);
    if (!key.publicPart)
      throw new KeyOperationRefused(
        `The key ${key.id} is a secret for ${key.purpose} and has no certificate. Rotate it.`,
      );
    if (state === 'withdrawn' || state === 'retired')
      throw new KeyOperationRefused(`The key ${key.id} is ${state} and cannot come back. Rotate instead.`);
    return { key, certificate: await change.certify(key) };
  });
}
