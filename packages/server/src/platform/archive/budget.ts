import { type ArchiveLimits, ArchiveRefused } from './archive.ts';

/** Counts what really comes out of an archive and stops it at the first byte too many: the guard against bombs. */
export interface Budget {
  file(): void;
  /** A folder or an entry about entries. */
  other(): void;
  /** Bytes that were inflated, kept or not. */
  inflated(bytes: number): void;
}

/** @param packed packed bytes that the inflated ones came from, so far or in all */
export function createBudget(limits: ArchiveLimits, packed: () => number): Budget {
  let files = 0;
  let others = 0;
  let total = 0;
  return {
    file() {
      files += 1;
      if (files > limits.files) {
        throw new ArchiveRefused('too-many-entries', `The archive holds more than ${limits.files} files.`);
      }
    },
    other() {
      others += 1;
      if (others > limits.files + 1_000) {
        throw new ArchiveRefused(
          'too-many-entries',
          `The archive holds more than ${limits.files + 1_000} entries without content.`,
        );
      }
    },
    inflated(bytes) {
      total += bytes;
      if (total > limits.totalBytes) {
        throw new ArchiveRefused('too-large', `The archive unpacks to more than ${limits.totalBytes} bytes.`);
      }
      if (total > limits.ratioFrom && total > limits.ratio * packed()) {
        throw new ArchiveRefused('ratio', `The archive unpacks to more than ${limits.ratio} times its size.`);
      }
    },
  };
}
