import { ArchiveRefused } from './archive.ts';

/** Takes exact numbers of bytes from a stream of chunks. */
export interface ByteReader {
  /** Exactly `length` bytes, undefined at the very end of the stream; refuses when it ends in between. */
  take(length: number): Promise<Buffer | undefined>;
  /** Shows `length` bytes piece by piece without joining them. */
  pass(length: number, see: (piece: Buffer) => void): Promise<void>;
  /** The next bytes of any number, undefined at the end. */
  any(): Promise<Buffer | undefined>;
}

export function byteReader(chunks: AsyncIterator<Buffer>): ByteReader {
  let current: Buffer = Buffer.alloc(0);

  async function more(): Promise<boolean> {
    while (current.length === 0) {
      const { value, done } = await chunks.next();
      if (done) return false;
      current = value;
    }
    return true;
  }

  async function pass(length: number, see: (piece: Buffer) => void): Promise<void> {
    for (let left = length; left > 0; ) {
      if (current.length === 0 && !(await more())) throw new ArchiveRefused('truncated', 'The archive ends too early.');
      const piece = current.subarray(0, left);
      current = current.subarray(piece.length);
      left -= piece.length;
      see(piece);
    }
  }

  return {
    async take(length) {
      if (current.length >= length) {
        const whole = current.subarray(0, length);
        current = current.subarray(length);
        return whole;
      }
      if (!(await more())) return undefined;
      const joined = Buffer.allocUnsafe(length);
      let filled = 0;
      await pass(length, (piece) => {
        filled += piece.copy(joined, filled);
      });
      return joined;
    },
    pass,
    async any() {
      if (!(await more())) return undefined;
      const all = current;
      current = Buffer.alloc(0);
      return all;
    },
  };
}
