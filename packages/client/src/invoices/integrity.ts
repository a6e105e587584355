import { createHash } from 'node:crypto';

/** What arrived is not what was announced. Nothing of it should be used. */
export class IntegrityError extends Error {
  override name = 'IntegrityError';
}

/** Size (where announced) and SHA-256 (Base64) of bytes against what the service said about them. */
export function checkBytes(what: string, bytes: Uint8Array, announced: { hash: string; size?: number }): void {
  checkDigest(what, { hash: createHash('sha256').update(bytes).digest('base64'), size: bytes.length }, announced);
}

export function checkDigest(
  what: string,
  found: { hash: string; size: number },
  announced: { hash: string; size?: number },
): void {
  if (announced.size !== undefined && announced.size !== found.size) {
    throw new IntegrityError(`${what} has ${found.size} bytes; ${announced.size} were announced`);
  }
  if (announced.hash !== found.hash) {
    throw new IntegrityError(`${what} has the hash ${found.hash}; ${announced.hash} was announced`);
  }
}
