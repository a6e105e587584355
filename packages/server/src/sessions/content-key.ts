import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, refuse } from '@kwit/contract/refusal';
import { decrypt, Undecryptable } from '../platform/keys/decrypt.ts';
import type { KeyRing } from '../platform/keys/key-ring.ts';
import type { Binding, MasterKey } from '../platform/keys/master-key.ts';

const CONTENT_KEY_BYTES = 32;

/** Candidates for unwrapping; an identifier that is not published, withdrawn or of another usage is refused. */
export function unwrappingKeys(keys: KeyRing, publicKeyId: string | undefined): ReturnType<KeyRing['decryptionKeys']> {
  const candidates = keys.decryptionKeys('SymmetricKeyEncryption', publicKeyId);
  if (publicKeyId !== undefined && candidates.length === 0) {
    throw refuse(21470, detail(DETAIL_TEXTS.unknownKey, { keyId: publicKeyId }));
  }
  return candidates;
}

/** The content key of a session, or undefined when it does not unwrap to 32 bytes: that is status 415, never an error. */
export async function unwrapContentKey(
  candidates: ReturnType<KeyRing['decryptionKeys']>,
  wrapped: Buffer,
): Promise<Buffer | undefined> {
  try {
    const key = await decrypt(candidates, wrapped);
    return key.length === CONTENT_KEY_BYTES ? key : undefined;
  } catch (error) {
    if (error instanceof Undecryptable) return undefined;
    throw error;
  }
}

/** Content keys lie in the database sealed under the master key, each bound to its session or export. */
export function contentBinding(reference: string): Binding {
  return { id: reference, purpose: 'SessionContent' };
}

export function sealContentKey(masterKey: MasterKey, session: string, key: Buffer): Buffer {
  return masterKey.wrap(key, contentBinding(session));
}

export function openContentKey(masterKey: MasterKey, session: string, sealed: Buffer): Buffer {
  return masterKey.unwrap(sealed, contentBinding(session));
}
