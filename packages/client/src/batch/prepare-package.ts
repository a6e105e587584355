import { type Cipheriv, createCipheriv, createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompressionType } from '@kwit/contract/enumerations';
import { BATCH_LIMITS, MEGABYTE } from '@kwit/contract/limits';
import { type ContentKey, newContentKey } from '../content-cipher.ts';
import type { Environment } from '../environment.ts';
import { type BatchFile, checkFileName } from './batch-file.ts';
import { packTarGz } from './pack-targz.ts';
import { packZip } from './pack-zip.ts';

export interface PrepareOptions {
  /** Default Zip. */
  compression?: CompressionType;
  /** Bytes of a part before encryption, at most 100 MB. Default: 10 MB, more when fifty parts would not do. */
  partBytes?: number;
  /** Where encrypted parts lie until they are sent; a folder of its own is made in it. Default: that of the system. */
  folder?: string;
  /** After every packed file. */
  onPacked?(packed: number, of: number): void;
}

/** An archive that was packed, cut and encrypted, waiting on the disk. Nothing unencrypted is written. */
export interface PreparedPackage {
  fileSize: number;
  fileHash: string;
  compression: CompressionType;
  contentKey: ContentKey;
  parts: { ordinalNumber: number; fileSize: number; fileHash: string; path: string }[];
  /** Removes the parts. */
  remove(): Promise<void>;
}

const USUAL_PART = 10 * MEGABYTE;

/** Packs files as a stream into encrypted parts: memory stays at one file, whatever the size of the package. */
export async function preparePackage(
  files: readonly BatchFile[],
  options: PrepareOptions,
  environment: Environment,
): Promise<PreparedPackage> {
  for (const { name } of files) checkFileName(name);
  const { compression = 'Zip' } = options;
  const partBytes = options.partBytes ?? usualPartBytes(files);
  if (!(partBytes >= 1 && partBytes <= BATCH_LIMITS.maxPartBytes)) {
    throw new RangeError(`a part has 1 to ${BATCH_LIMITS.maxPartBytes} bytes, not ${partBytes}`);
  }
  const contentKey = newContentKey(environment);
  const folder = await mkdtemp(join(options.folder ?? tmpdir(), 'kwit-batch-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    let count = 0;
    const packed = () => {
      count += 1;
      options.onPacked?.(count, files.length);
    };
    const pieces = compression === 'Zip' ? packZip(files, packed) : packTarGz(files, packed);
    return { ...(await writeParts(pieces, partBytes, folder, contentKey)), compression, contentKey, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function usualPartBytes(files: readonly BatchFile[]): number {
  const total = files.reduce((sum, file) => sum + (file.size ?? 0), 0);
  // Packed bytes are fewer; an archive that cannot be packed has some more, for its headers.
  const needed = Math.ceil((total * 1.05) / BATCH_LIMITS.maxParts);
  return Math.min(BATCH_LIMITS.maxPartBytes, Math.max(USUAL_PART, needed));
}

async function writeParts(
  pieces: AsyncIterable<Buffer>,
  partBytes: number,
  folder: string,
  contentKey: ContentKey,
): Promise<Pick<PreparedPackage, 'fileSize' | 'fileHash' | 'parts'>> {
  const whole = createHash('sha256');
  const parts: PreparedPackage['parts'] = [];
  let fileSize = 0;
  let part: OpenPart | undefined;
  try {
    for await (const piece of pieces) {
      whole.update(piece);
      fileSize += piece.length;
      if (fileSize > BATCH_LIMITS.maxArchiveBytes) throw new RangeError('the package is larger than 5 GB');
      for (let start = 0; start < piece.length; ) {
        part ??= await openPart(folder, parts.length + 1, contentKey);
        const chunk = piece.subarray(start, start + partBytes - part.taken);
        await part.take(chunk);
        start += chunk.length;
        if (part.taken < partBytes) continue;
        parts.push(await part.finish());
        part = undefined;
      }
    }
    if (part) parts.push(await part.finish());
    part = undefined;
  } finally {
    await part?.abandon();
  }
  if (parts.length > BATCH_LIMITS.maxParts) {
    throw new RangeError(
      `the package has ${parts.length} parts, at most ${BATCH_LIMITS.maxParts} are allowed: choose larger ones`,
    );
  }
  return { fileSize, fileHash: whole.digest('base64'), parts };
}

interface OpenPart {
  /** Bytes before encryption. */
  readonly taken: number;
  take(bytes: Buffer): Promise<void>;
  finish(): Promise<PreparedPackage['parts'][number]>;
  abandon(): Promise<void>;
}

async function openPart(folder: string, ordinalNumber: number, { key, vector }: ContentKey): Promise<OpenPart> {
  const path = join(folder, String(ordinalNumber));
  const file: FileHandle = await open(path, 'wx', 0o600);
  const cipher: Cipheriv = createCipheriv('aes-256-cbc', key, vector);
  const hash = createHash('sha256');
  let taken = 0;
  let fileSize = 0;
  const write = async (bytes: Buffer) => {
    hash.update(bytes);
    fileSize += bytes.length;
    await file.appendFile(bytes);
  };
  return {
    get taken() {
      return taken;
    },
    async take(bytes) {
      taken += bytes.length;
      await write(cipher.update(bytes));
    },
    async finish() {
      await write(cipher.final());
      await file.close();
      return { ordinalNumber, fileSize, fileHash: hash.digest('base64'), path };
    },
    abandon: () => file.close(),
  };
}
