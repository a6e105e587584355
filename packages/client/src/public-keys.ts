import { type KeyObject, X509Certificate } from 'node:crypto';
import { listPublicKeyCertificates } from '@kwit/contract/auth-endpoints';
import type { Output } from '@kwit/contract/endpoint';
import type { PublicKeyUsage } from '@kwit/contract/enumerations';
import { ApiError } from './api-error.ts';
import type { Transport } from './transport.ts';

export type PublicKeyCertificate = Output<typeof listPublicKeyCertificates>[number];

export interface PublishedKey {
  publicKeyId: string;
  publicKey: KeyObject;
  certificate: PublicKeyCertificate;
}

export interface PublicKeys {
  /** The published list, kept for an hour. */
  list(): Promise<readonly PublicKeyCertificate[]>;
  /** The key to encrypt with: valid now, and of those the newest. */
  choose(usage: PublicKeyUsage): Promise<PublishedKey>;
  /** Runs an attempt with the right key; when the service says that it is unknown or withdrawn, once more with the list read anew. */
  using<T>(usage: PublicKeyUsage, attempt: (key: PublishedKey) => Promise<T>): Promise<T>;
  /** The next question reads the list anew. */
  forget(): void;
}

const KEPT_MS = 3_600_000;
const UNKNOWN_KEY = 21470;

export function createPublicKeys(transport: Transport): PublicKeys {
  const { environment } = transport;
  let kept: { list: Promise<readonly PublicKeyCertificate[]>; until: number } | undefined;

  function list(): Promise<readonly PublicKeyCertificate[]> {
    if (kept === undefined || kept.until <= environment.now()) {
      const reading = transport.call(listPublicKeyCertificates, {});
      const entry = { list: reading, until: environment.now() + KEPT_MS };
      kept = entry;
      // A failure is not kept.
      reading.catch(() => {
        if (kept === entry) kept = undefined;
      });
    }
    return kept.list;
  }

  async function choose(usage: PublicKeyUsage): Promise<PublishedKey> {
    const certificate = chooseCertificate(await list(), usage, environment.now());
    if (certificate === undefined) throw new Error(`The service publishes no key for ${usage}`);
    const { publicKey } = new X509Certificate(Buffer.from(certificate.certificate, 'base64'));
    return { publicKeyId: certificate.publicKeyId, publicKey, certificate };
  }

  return {
    list,
    choose,
    forget: () => {
      kept = undefined;
    },
    async using(usage, attempt) {
      const key = await choose(usage);
      try {
        return await attempt(key);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== UNKNOWN_KEY) throw error;
        kept = undefined;
        const other = await choose(usage);
        if (other.publicKeyId === key.publicKeyId) throw error;
        return attempt(other);
      }
    },
  };
}

/** Of those with the usage that are valid now, the one with the latest beginning. When our clock fits none, the latest of all. */
export function chooseCertificate(
  list: readonly PublicKeyCertificate[],
  usage: PublicKeyUsage,
  now: number,
): PublicKeyCertificate | undefined {
  const fitting = list.filter((entry) => entry.usage.includes(usage));
  const valid = fitting.filter(({ validFrom, validTo }) => Date.parse(validFrom) <= now && now < Date.parse(validTo));
  return (valid.length > 0 ? valid : fitting).reduce<PublicKeyCertificate | undefined>(
    (best, entry) => (best && Date.parse(best.validFrom) >= Date.parse(entry.validFrom) ? best : entry),
    undefined,
  );
}
