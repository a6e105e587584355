/** Check 3. Sizes are SI: 1 MB is 1,000,000 bytes. */
export interface SizeLimits {
  /** Bytes of an invoice without attachment. */
  readonly plain: number;
  readonly withAttachment: number;
}

export const DEFAULT_SIZE_LIMITS: SizeLimits = { plain: 1_000_000, withAttachment: 3_000_000 };

/** Before parsing: a document that cannot have an attachment is held to the smaller limit at once. */
export function sizeProblem(bytes: Buffer, limits: SizeLimits): string | undefined {
  if (bytes.length === 0) return 'The file is empty.';
  if (bytes.length > limits.withAttachment) return tooLarge(bytes.length, limits.withAttachment, 'with an attachment');
  if (bytes.length <= limits.plain) return undefined;
  if (bytes.includes('Zalacznik') || bytes.includes('EmbeddedDocumentBinaryObject')) return undefined;
  return tooLarge(bytes.length, limits.plain, 'without an attachment');
}

/** After reading: the larger limit is only for documents that really have one. */
export function sizeProblemAfterReading(size: number, hasAttachment: boolean, limits: SizeLimits): string | undefined {
  if (hasAttachment || size <= limits.plain) return undefined;
  return tooLarge(size, limits.plain, 'without an attachment');
}

export function tooLarge(size: number, limit: number, which: string): string {
  return `The file has ${size} bytes; an invoice ${which} may have at most ${limit}.`;
}
