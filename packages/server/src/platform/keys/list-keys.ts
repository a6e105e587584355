import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/database.ts';
import type { KeyPurpose } from './key-ring.ts';
import { currentCertificate, type KeyState, stateOf } from './rules.ts';
import { readKeys } from './store.ts';
import { type KeyAlgorithm, PURPOSES } from './stored-key.ts';

export interface ListedKey {
  id: string;
  purpose: KeyPurpose;
  algorithm: KeyAlgorithm;
  state: KeyState;
  /** Absent for secrets. */
  publicKeyId: string | undefined;
  createdAt: number;
  /** When a retiring key ends. */
  retireAt: number | undefined;
  withdrawnAt: number | undefined;
  /** Validity of its current certificate. */
  validFrom: number | undefined;
  validTo: number | undefined;
}

/** Every key, grouped by purpose, the newest first. Needs no master key: nothing private is read. */
export async function listKeys({ database, clock }: { database: Queryable; clock: Clock }): Promise<ListedKey[]> {
  const now = clock.now();
  const keys = await readKeys(database);
  const listed = keys.map((key): ListedKey => {
    const certificate = currentCertificate(key, now);
    return {
      id: key.id,
      purpose: key.purpose,
      algorithm: key.algorithm,
      state: stateOf(key, now),
      publicKeyId: key.publicPart?.publicKeyId,
      createdAt: key.createdAt,
      retireAt: key.retireAt,
      withdrawnAt: key.withdrawnAt,
      validFrom: certificate?.validFrom,
      validTo: certificate?.validTo,
    };
  });
  return PURPOSES.flatMap((purpose) => listed.filter((key) => key.purpose === purpose));
}
