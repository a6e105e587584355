/** A file of an archive, its checksums verified. */
export interface ArchiveEntry {
  /** As the archive names it, with `/` between folders. */
  name: string;
  size: number;
  sha256: Buffer;
  /** Missing when the file is longer than `keepBytes`: it was read and checked, but not kept. */
  content: Buffer | undefined;
}

/** All of them hold for what is really read, not only for what headers declare. */
export interface ArchiveLimits {
  /** Most files; folders and other entries without content may be about as many again. */
  files: number;
  nameBytes: number;
  /** Inflated bytes of one file; a longer one refuses the archive. */
  fileBytes: number;
  /** Files longer than this are handed on without their content. */
  keepBytes: number;
  /** Inflated bytes of the whole archive. */
  totalBytes: number;
  /** Inflated bytes for each packed one, looked at once `ratioFrom` bytes are inflated. */
  ratio: number;
  ratioFrom: number;
}

export interface ArchiveRules {
  /** Files of one name, or of names that differ only in case or in the form of their letters. */
  duplicates: 'refuse' | 'allow';
  /** Windows programs write `folder\file`: refused, or read as `folder/file`. */
  backslash: 'refuse' | 'slash';
}

export const STRICT_RULES: ArchiveRules = { duplicates: 'refuse', backslash: 'refuse' };

export interface ReadOptions {
  limits: ArchiveLimits;
  /** By default `STRICT_RULES`. */
  rules?: ArchiveRules;
}

export type ArchiveReason =
  | 'not-an-archive'
  | 'truncated'
  | 'trailing-data'
  | 'too-many-entries'
  | 'bad-name'
  | 'duplicate-name'
  | 'encrypted'
  | 'unsupported'
  | 'not-a-file'
  | 'overlap'
  | 'lying-header'
  | 'checksum'
  | 'too-large'
  | 'ratio';

/** The archive is not opened (any further). The message is a sentence for the sender, the reason is for decisions. */
export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused';
  readonly reason: ArchiveReason;

  constructor(reason: ArchiveReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
