/**
 * Cuts a stream of chunks of any size into parts of exactly `size` bytes; only the last one may be shorter, and it is left out when
 * it would be empty. `see` is shown every byte on the way.
 */
export async function* inParts(
  chunks: AsyncIterable<Buffer | string> | Iterable<Buffer | string>,
  size: number,
  see: (chunk: Buffer) => void,
): AsyncGenerator<Buffer, undefined> {
  let part = Buffer.allocUnsafe(size);
  let filled = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    see(bytes);
    for (let offset = 0; offset < bytes.length; ) {
      const copied = bytes.copy(part, filled, offset);
      filled += copied;
      offset += copied;
      if (filled === size) {
        yield part;
        part = Buffer.allocUnsafe(size);
        filled = 0;
      }
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
