import { crc32 } from 'node:zlib';
import { ArchiveRefused } from './archive.ts';
import { inflateStream } from './inflate-stream.ts';

const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 };
const HEADER_MOST = 64 * 1024;

/**
 * Unpacks a gzip file of exactly one member with nothing behind it. Node's own Gunzip joins further members and ignores what follows
 * them, so that two readers may see two contents in one file.
 */
export async function* gunzipMember(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = packed[Symbol.asyncIterator]();
  try {
    const afterHeader = await skipHeader(source);
    let rest: Buffer = Buffer.alloc(0);
    let crc = 0;
    let size = 0;
    const deflated = continued(afterHeader, source);
    try {
      for await (const bytes of inflateStream(deflated, (left) => {
        rest = left;
      })) {
        crc = crc32(bytes, crc);
        size += bytes.length;
        yield bytes;
      }
    } catch (error) {
      throw inflateProblem(error);
    }
    for (let next = await deflated.next(); !next.done; next = await deflated.next()) {
      rest = Buffer.concat([rest, next.value]);
      if (rest.length > 8) break;
    }
    if (rest.length < 8) throw truncated();
    if (rest.readUInt32LE(0) !== crc || rest.readUInt32LE(4) !== size % 2 ** 32) {
      throw new ArchiveRefused('checksum', 'The checksum of the gzip file does not match its bytes.');
    }
    if (rest.length > 8) throw new ArchiveRefused('trailing-data', 'Something follows the end of the gzip file.');
  } finally {
    await source.return?.();
  }
}

/** @returns bytes after the header that were already read */
async function skipHeader(source: AsyncIterator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  for (;;) {
    const end = headerEnd(head);
    if (end !== undefined) return head.subarray(end);
    if (head.length > HEADER_MOST) throw new ArchiveRefused('unsupported', 'The header of the gzip file is too long.');
    const { value, done } = await source.next();
    if (done) throw head.length < 2 ? notGzip() : truncated();
    head = Buffer.concat([head, value]);
  }
}

/** @returns where the header ends, undefined when more bytes are needed */
function headerEnd(head: Buffer): number | undefined {
  if ((head.length > 0 && head[0] !== 0x1f) || (head.length > 1 && head[1] !== 0x8b)) throw notGzip();
  if (head.length < 10) return undefined;
  const flags = head[3] as number;
  if (head[2] !== 8 || (flags & FLAG.reserved) !== 0) {
    throw new ArchiveRefused('unsupported', 'The gzip file uses a feature that is not supported.');
  }
  let end = 10;
  if (flags & FLAG.extra) {
    if (head.length < end + 2) return undefined;
    end += 2 + head.readUInt16LE(end);
  }
  for (const flag of [FLAG.name, FLAG.comment]) {
    if (!(flags & flag)) continue;
    const zero = head.indexOf(0, end);
    if (zero === -1) return undefined;
    end = zero + 1;
  }
  if (flags & FLAG.headerCrc) end += 2;
  return end <= head.length ? end : undefined;
}

async function* continued(first: Buffer, source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
}

function inflateProblem(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return truncated();
  return code?.startsWith('Z_') ? new ArchiveRefused('checksum', 'The gzip file is damaged.') : error;
}

const notGzip = () => new ArchiveRefused('not-an-archive', 'The file is no gzip file.');
const truncated = () => new ArchiveRefused('truncated', 'The gzip file ends too early.');
