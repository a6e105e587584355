import { createDecipheriv, createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Blobs } from '../../platform/blobs/blobs.ts';

export interface Joining {
  blobs: Blobs;
  parts: readonly { blob: string; size: number }[];
  key: Buffer;
  /** Null: each part begins with its own. */
  vector: Buffer | null;
  /** Where the package goes. */
  path: string;
  declared: { size: number; hash: string };
  signal: AbortSignal;
}

export type Joined = 'sound' | 'undecryptable' | 'unlike-declared';

const BLOCK = 16;

/**
 * Decrypts the parts in their order into one file, chunk by chunk: neither a part nor the package is ever in memory. All parts are
 * decrypted before the whole is compared, since a part that does not decrypt is the failure to report.
 */
export async function joinParts(joining: Joining): Promise<Joined> {
  const { parts, vector, declared } = joining;
  if (parts.some((part) => !isWholeBlocks(part.size, vector))) return 'undecryptable';
  const target = { file: await open(joining.path, 'wx', 0o600), hash: createHash('sha256'), size: 0 };
  try {
    for (const part of parts) {
      if (!(await joinPart(joining, part.blob, target))) return 'undecryptable';
    }
  } finally {
    await target.file.close();
  }
  return target.size === declared.size && target.hash.digest('base64') === declared.hash ? 'sound' : 'unlike-declared';
}

function isWholeBlocks(size: number, vector: Buffer | null): boolean {
  return size % BLOCK === 0 && size >= (vector ? BLOCK : 2 * BLOCK);
}

interface Target {
  file: FileHandle;
  hash: Hash;
  size: number;
}

async function joinPart(
  { blobs, key, vector, declared, signal }: Joining,
  blob: string,
  target: Target,
): Promise<boolean> {
  const decrypted = decrypting(key, vector);
  for await (const chunk of (await blobs.get(blob)) as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    await take(target, decrypted.update(chunk), declared.size);
  }
  const last = decrypted.final();
  if (!last) return false;
  await take(target, last, declared.size);
  return true;
}

/** Bytes beyond the declared size are counted, not kept: the package is refused for them anyway. */
async function take(target: Target, bytes: Buffer, most: number): Promise<void> {
  if (bytes.length === 0) return;
  target.size += bytes.length;
  if (target.size > most) return;
  target.hash.update(bytes);
  await target.file.appendFile(bytes);
}

/** AES-256-CBC over chunks of any size; without a vector the first block is the vector. */
function decrypting(
  key: Buffer,
  vector: Buffer | null,
): { update(chunk: Buffer): Buffer; final(): Buffer | undefined } {
  let decipher = vector && createDecipheriv('aes-256-cbc', key, vector);
  let front = Buffer.alloc(0);
  return {
    update(chunk) {
      if (decipher) return decipher.update(chunk);
      front = Buffer.concat([front, chunk]);
      if (front.length < BLOCK) return Buffer.alloc(0);
      decipher = createDecipheriv('aes-256-cbc', key, front.subarray(0, BLOCK));
      return decipher.update(front.subarray(BLOCK));
    },
    final() {
      try {
        return decipher?.final();
      } catch {
        return undefined;
      }
    },
  };
}
