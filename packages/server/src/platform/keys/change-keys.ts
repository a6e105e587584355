import type { Clock } from '../clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import type { Random } from '../random.ts';
import { type Authority, certifyKey } from './certify-key.ts';
import { type GeneratedKey, generateKey } from './generate-key.ts';
import type { KeyPurpose } from './key-ring.ts';
import { type MasterKey, MasterKeyMismatch } from './master-key.ts';
import { dueForCertificate, inUse, missingPurposes } from './rules.ts';
import { announceChange, insertCertificate, insertKey, lockKeys, readKeys } from './store.ts';
import { ALGORITHMS, type KeyAlgorithm, PURPOSES, type StoredCertificate, type StoredKey } from './stored-key.ts';
import { unwrapKey } from './unwrap-key.ts';

/** What every operation on the keys needs. */
export interface KeyTools {
  database: Database;
  masterKey: MasterKey;
  clock: Clock;
  random: Random;
  /** Common name of a new certificate authority. */
  authorityName?: string;
}

/** A refusal to the operator; the message says what to do instead. */
export class KeyOperationRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'KeyOperationRefused';
  }
}

/** The keys under change: locked against others, kept up to date with every step, written in one transaction. */
export interface KeyChange {
  tx: Queryable;
  now: number;
  keys(): readonly StoredKey[];
  create(purpose: KeyPurpose, options?: CreateOptions): Promise<StoredKey>;
  certify(key: StoredKey, validFrom?: number): Promise<StoredCertificate>;
  /** Reads the keys again after a statement of the operation's own. */
  reload(): Promise<void>;
}

export interface CreateOptions {
  algorithm?: KeyAlgorithm | undefined;
  /** Start of the certificate; now unless told. */
  validFrom?: number | undefined;
  /** Made before, side by side with others. */
  generated?: GeneratedKey | undefined;
}

const DEFAULT_AUTHORITY_NAME = 'TI CCK Svc';

export function changeKeys<T>(tools: KeyTools, work: (change: KeyChange) => Promise<T>): Promise<T> {
  return tools.database.transaction(async (tx) => {
    await lockKeys(tx);
    const change = await openChange(tools, tx);
    const result = await work(change);
    await repair(tools, change);
    await announceChange(tx);
    return result;
  });
}

async function openChange(tools: KeyTools, tx: Queryable): Promise<KeyChange> {
  const { masterKey, random } = tools;
  const now = tools.clock.now();
  let keys = await readKeys(tx);
  requireMasterKey(keys, masterKey, now);

  function authority(): Authority | undefined {
    const [record] = inUse(keys, 'CertificateAuthority', now);
    return record && { record, privateKey: unwrapKey(record, masterKey) };
  }

  async function certify(key: StoredKey, validFrom = now): Promise<StoredCertificate> {
    const certificate = await certifyKey({
      key,
      privateKey: unwrapKey(key, masterKey),
      authority: key.purpose === 'ReceiptSeal' ? authority() : undefined,
      authorityName: tools.authorityName ?? DEFAULT_AUTHORITY_NAME,
      validFrom,
      now,
      random,
    });
    await insertCertificate(tx, certificate);
    keys = keys.map((k) => (k.id === key.id ? { ...k, certificates: [certificate, ...k.certificates] } : k));
    return certificate;
  }

  async function create(purpose: KeyPurpose, options: CreateOptions = {}): Promise<StoredKey> {
    const algorithm = options.algorithm ?? (ALGORITHMS[purpose][0] as KeyAlgorithm);
    const { privatePart, publicPart } = options.generated ?? (await generateKey(algorithm, random));
    const id = random.uuid();
    const generation = 1 + Math.max(0, ...keys.filter((k) => k.purpose === purpose).map((k) => k.generation));
    const key: StoredKey = {
      id,
      purpose,
      generation,
      algorithm,
      wrapped: masterKey.wrap(privatePart, { id, purpose }),
      masterKeyId: masterKey.id,
      publicPart,
      createdAt: now,
      retireAt: undefined,
      withdrawnAt: undefined,
      certificates: [],
    };
    privatePart.fill(0);
    await insertKey(tx, key);
    keys = [key, ...keys];
    if (publicPart) await certify(key, options.validFrom);
    return keys.find((k) => k.id === id) as StoredKey;
  }

  const reload = async (): Promise<void> => {
    keys = await readKeys(tx);
  };
  return { tx, now, keys: () => keys, create, certify, reload };
}

/** Keys of two master keys in one ring could never be opened together. */
function requireMasterKey(keys: readonly StoredKey[], { id, source }: MasterKey, now: number): void {
  const foreign = PURPOSES.flatMap((purpose) => inUse(keys, purpose, now)).find((key) => key.masterKeyId !== id);
  if (foreign) throw new MasterKeyMismatch(source, id, foreign.masterKeyId);
}

/** After every change each purpose has a key that stays, and each such key a certificate that lasts. */
async function repair({ random }: KeyTools, change: KeyChange): Promise<void> {
  const missing = await Promise.all(
    missingPurposes(change.keys(), change.now).map(async (purpose) => ({
      purpose,
      generated: await generateKey(ALGORITHMS[purpose][0] as KeyAlgorithm, random),
    })),
  );
  for (const { purpose, generated } of missing) await change.create(purpose, { generated });
  for (const key of dueForCertificate(change.keys(), change.now)) await change.certify(key);
}

/** Makes what is missing and renews what ends soon; writes nothing, and locks nobody, when all is well. */
export async function maintainKeys(tools: KeyTools): Promise<boolean> {
  const now = tools.clock.now();
  const keys = await readKeys(tools.database);
  if (missingPurposes(keys, now).length === 0 && dueForCertificate(keys, now).length === 0) return false;
  await changeKeys(tools, async () => undefined);
  return true;
}
