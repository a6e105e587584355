/** Base64url without padding, read strictly: a text that is not the one writing of its bytes is no value at all. */
export function toBase64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');
}

/**
 * Undefined for foreign characters, impossible lengths and unused bits that are set. Up to two trailing `=` are
 * tolerated, as links come with them.
 */
export function fromBase64Url(text: string): Uint8Array | undefined {
  const bare = text.replace(/={1,2}$/, '');
  if (!/^[A-Za-z0-9_-]*$/.test(bare)) return undefined;
  const bytes = Buffer.from(bare, 'base64url');
  return bytes.toString('base64url') === bare ? bytes : undefined;
}
