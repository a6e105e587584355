import type { KeyObject } from 'node:crypto';
import type { Log } from '../log-sink.ts';
import { type KeyTools, maintainKeys } from './change-keys.ts';
import type { KeyPurpose, KeyRing, SigningKey } from './key-ring.ts';
import { findUsable, publishedKeys } from './published-keys.ts';
import { currentCertificate, inUse, secretsInOrder, stateOf } from './rules.ts';
import { KEYS_CHANNEL, readKeys } from './store.ts';
import type { PublishedPurpose, StoredKey } from './stored-key.ts';
import { unwrapKey } from './unwrap-key.ts';

export interface OpenKeyRing extends KeyRing {
  /** Certificates of all authorities in use, newest first: what an older one issued is still verified. */
  authorities(): readonly Buffer[];
  /** Their keys as well: each keeps signing the revocation list of what it issued. */
  issuers(): readonly SigningKey[];
  /** Reads the keys anew, after making or renewing what is due. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface KeyRingOptions extends KeyTools {
  log: Log;
  /** How often to look without being told, in case a notification was lost. Shorter than the grace of new secrets. */
  pollEveryMs?: number;
}

/** Opens the keys of the service, making them at the first start, and follows every change until closed. */
export async function openKeyRing(options: KeyRingOptions): Promise<OpenKeyRing> {
  const { database, masterKey, clock, log, pollEveryMs = 60_000 } = options;
  const unwrapped = new Map<string, KeyObject>();
  let keys: readonly StoredKey[] = [];

  async function load(): Promise<void> {
    const fresh = await readKeys(database);
    const usable = fresh.filter((key) => !['withdrawn', 'retired'].includes(stateOf(key, clock.now())));
    // All or nothing: with a key that cannot be read the ring keeps what it had.
    const added = usable
      .filter((key) => !unwrapped.has(key.id))
      .map((key) => [key.id, unwrapKey(key, masterKey)] as const);
    for (const [id, key] of added) unwrapped.set(id, key);
    for (const id of unwrapped.keys()) if (!usable.some((key) => key.id === id)) unwrapped.delete(id);
    keys = usable;
  }

  // One reading after the other: a slow older one must not replace what a newer one brought.
  let queue: Promise<void> = Promise.resolve();
  function refresh(): Promise<void> {
    const done = queue.then(() => maintainKeys(options)).then(load);
    queue = done.catch(() => undefined);
    return done;
  }

  // Changes announced while a reading waits its turn are all in it.
  let waiting = false;
  let closed = false;
  function follow(): void {
    if (waiting || closed) return;
    waiting = true;
    queue = queue.then(() => {
      waiting = false;
    });
    refresh().catch((error: Error) => {
      log.error({ error: error.message }, 'the keys could not be read anew; the old ones stay');
    });
  }

  await refresh();
  const stopListening = await database.listen(KEYS_CHANNEL, follow);
  // Whatever changed between the first reading and the listening.
  await load();
  const timer = setInterval(follow, pollEveryMs);
  timer.unref();

  const privateKey = (key: StoredKey): KeyObject => unwrapped.get(key.id) as KeyObject;

  function decryptionKeys(purpose: PublishedPurpose, publicKeyId?: string) {
    const now = clock.now();
    const published = publishedKeys(keys, now).filter((entry) => entry.purpose === purpose);
    const chosen =
      publicKeyId === undefined ? published : [findUsable(published, publicKeyId, purpose, now)].filter((e) => !!e);
    const ids = [...new Set(chosen.map((entry) => entry.publicKeyId))];
    return ids.flatMap((id) => {
      const key = keys.find((k) => k.publicPart?.publicKeyId === id);
      return key ? [{ publicKeyId: id, privateKey: privateKey(key) }] : [];
    });
  }

  function chainOf(key: StoredKey, now: number): Buffer[] {
    const certificate = currentCertificate(key, now);
    if (!certificate) throw new Error(`the key for ${key.purpose} has no certificate`);
    const issuer = keys.find((k) => k.id === certificate.issuerKeyId);
    return issuer ? [certificate.der, ...chainOf(issuer, now)] : [certificate.der];
  }

  function signingKey(purpose: 'ReceiptSeal' | 'CertificateAuthority'): SigningKey {
    const now = clock.now();
    const key = newest(purpose, now);
    return { privateKey: privateKey(key), chain: chainOf(key, now) };
  }

  function issuers(): SigningKey[] {
    const now = clock.now();
    return inUse(keys, 'CertificateAuthority', now).map((key) => ({
      privateKey: privateKey(key),
      chain: chainOf(key, now),
    }));
  }

  function newest(purpose: KeyPurpose, now: number): StoredKey {
    const [key] = inUse(keys, purpose, now);
    if (!key) throw new Error(`there is no key for ${purpose}`);
    return key;
  }

  return {
    published: () => publishedKeys(keys, clock.now()),
    decryptionKeys,
    secrets: (purpose) =>
      secretsInOrder(keys, purpose, clock.now()).map((key) => ({ id: key.id, key: privateKey(key) })),
    signingKey,
    authorities: () => issuers().map(({ chain }) => chain[0] as Buffer),
    issuers,
    refresh,
    async close() {
      closed = true;
      clearInterval(timer);
      await stopListening();
      await queue;
    },
  };
}
