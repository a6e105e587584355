import type { Certificate } from '../../platform/x509/certificate.ts';
import { type RevocationList, readCrl, statusIn } from './crl.ts';
import type { Fetch } from './fetch-bounded.ts';
import type { StatusAnswer } from './status.ts';

/** Revocation lists that were fetched a moment ago: an authority's users share them, however large they are. */
export interface KeptLists {
  /** What the list at the address says of a certificate. Throws when there is none, or when it proves nothing. */
  statusOf(url: string, asked: { certificate: Certificate; issuer: Certificate }, now: number): Promise<StatusAnswer>;
}

/** So long a revocation may go unnoticed although its list has been published. */
const KEPT_MS = 5 * 60_000;
const MOST_BYTES = 64 * 1024 * 1024;

interface Kept {
  list: Promise<RevocationList>;
  fetchedAt: number;
  /** Zero until it has arrived. */
  bytes: number;
}

export function createKeptLists(fetch: Fetch, mostBytes = MOST_BYTES): KeptLists {
  /** Oldest first. By address and key: two authorities may name the same address. */
  const kept = new Map<string, Kept>();

  function fetchList(key: string, url: string, issuer: Certificate, now: number): Kept {
    const entry: Kept = { list: load(), fetchedAt: now, bytes: 0 };
    kept.delete(key);
    kept.set(key, entry);
    // Who waits for it learns why; it is not kept.
    entry.list.catch(() => forget(key, entry));
    return entry;

    async function load(): Promise<RevocationList> {
      const bytes = await fetch(url);
      const list = readCrl(bytes, issuer);
      entry.bytes = bytes.length;
      dropOldest();
      return list;
    }
  }

  function forget(key: string, entry: Kept): void {
    if (kept.get(key) === entry) kept.delete(key);
  }

  function dropOldest(): void {
    let total = [...kept.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const [key, { bytes }] of kept) {
      if (total <= mostBytes) return;
      kept.delete(key);
      total -= bytes;
    }
  }

  return {
    async statusOf(url, { certificate, issuer }, now) {
      const key = `${issuer.fingerprint} ${url}`;
      const before = kept.get(key);
      const isRecent = before !== undefined && now >= before.fetchedAt && now < before.fetchedAt + KEPT_MS;
      const entry = isRecent ? before : fetchList(key, url, issuer, now);
      const list = await entry.list;
      try {
        return statusIn(list, certificate, now);
      } catch (error) {
        forget(key, entry);
        // Kept, it may have run out meanwhile; there should be a new one.
        if (entry !== before) throw error;
        return statusIn(await fetchList(key, url, issuer, now).list, certificate, now);
      }
    },
  };
}
