import { EXPORT_LIMITS } from '@kwit/contract/limits';
import type { Blobs } from '../platform/blobs/blobs.ts';

/**
 * Every attempt writes parts of its own: a builder that was taken for dead and still writes cannot mix its bytes into the package of
 * the one that took over.
 */
export function partBlob(reference: string, attempt: number, ordinal: number): string {
  return `exports/${reference.toLowerCase()}/${attempt}-${String(ordinal).padStart(3, '0')}`;
}

/** Deletes what attempts left behind. How far each of them came is not known; deleting what is not there is fine. */
export async function deleteLeftovers(
  blobs: Blobs,
  reference: string,
  attempts: number,
  maxPartBytes: number,
): Promise<void> {
  // Compressed documents, and as much again for the metadata, which no limit counts.
  const most = Math.ceil((2 * EXPORT_LIMITS.maxCompressedBytes) / Math.max(maxPartBytes, MEGABYTE));
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    for (let ordinal = 1; ordinal <= most; ordinal += 1) {
      await blobs.delete(partBlob(reference, attempt, ordinal));
    }
  }
}

/** A smaller part is for trying things out: leftovers beyond so many of them are not worth a thousand requests. */
const MEGABYTE = 1_000_000;
