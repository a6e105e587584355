import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { BLOCK } from './tar-header.ts';
import { checkEntryName, inBatches, type WriteOptions } from './writing.ts';

export interface TarInput {
  name: string;
  /** Bytes in memory, or a stream of exactly `size` of them. */
  content: Buffer | { size: number; stream: AsyncIterable<Buffer> };
}

/**
 * A tar.gz archive as a stream, entry by entry. Plain ustar where names allow it, a pax header before the others. The same entries and
 * time give the same bytes.
 */
export function writeTarGz(entries: AsyncIterable<TarInput> | Iterable<TarInput>, options: WriteOptions): Readable {
  const tar = Readable.from(inBatches(tarBytes(entries, options)), { objectMode: false, highWaterMark: 256 * 1024 });
  const gzip = createGzip({ level: options.level ?? 6, chunkSize: 256 * 1024 });
  tar.on('error', (error) => gzip.destroy(error));
  gzip.on('close', () => tar.destroy());
  return tar.pipe(gzip);
}

async function* tarBytes(
  entries: AsyncIterable<TarInput> | Iterable<TarInput>,
  options: WriteOptions,
): AsyncGenerator<Buffer> {
  const modified = Math.max(0, Math.floor(options.modified / 1_000));
  for await (const { name, content } of entries) {
    checkEntryName(name);
    const size = Buffer.isBuffer(content) ? content.length : content.size;
    yield* headers(name, size, modified);
    let written = 0;
    for await (const chunk of Buffer.isBuffer(content) ? [content] : content.stream) {
      written += chunk.length;
      if (written > size) break;
      yield chunk;
    }
    if (written !== size)
      throw new RangeError(`the entry ${name} was announced with ${size} bytes and has another number`);
    const missing = (BLOCK - (size % BLOCK)) % BLOCK;
    if (missing > 0) yield Buffer.alloc(missing);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** Largest size that eleven octal digits hold. */
const OCTAL_MOST = 8 ** 11 - 1;

function* headers(name: string, size: number, modified: number): Generator<Buffer> {
  const split = splitName(name);
  const records: string[] = [];
  if (split === undefined) records.push(paxRecord('path', name));
  if (size > OCTAL_MOST) records.push(paxRecord('size', String(size)));
  if (records.length > 0) {
    const pax = Buffer.from(records.join(''));
    const padding = Buffer.alloc((BLOCK - (pax.length % BLOCK)) % BLOCK);
    yield Buffer.concat([header({ name: 'pax-header', prefix: '' }, pax.length, modified, 'x'), pax, padding]);
  }
  yield header(split ?? { name: 'see-pax-header', prefix: '' }, Math.min(size, OCTAL_MOST), modified, '0');
}

/** Fits a name into the 100 + 155 bytes of ustar; only ASCII, since nothing says what other bytes would mean. */
function splitName(name: string): { name: string; prefix: string } | undefined {
  if (!/^[\x20-\x7e]+$/.test(name)) return undefined;
  if (name.length <= 100) return { name, prefix: '' };
  const slash = name.indexOf('/', name.length - 101);
  if (slash < 1 || slash > 155 || slash === name.length - 1) return undefined;
  return { name: name.slice(slash + 1), prefix: name.slice(0, slash) };
}

/** `length key=value\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const bare = Buffer.byteLength(` ${key}=${value}\n`);
  let length = bare + String(bare).length;
  length = bare + String(length).length;
  return `${length} ${key}=${value}\n`;
}

function header(at: { name: string; prefix: string }, size: number, modified: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, start: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, '0'), start, 'latin1');
  block.write(at.name, 0, 'latin1');
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(Math.min(modified, OCTAL_MOST), 136, 11);
  block.write(' '.repeat(8), 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  octal(0, 329, 7);
  octal(0, 337, 7);
  block.write(at.prefix, 345, 'latin1');
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  block[154] = 0;
  return block;
}
