import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { IntegrityError } from './integrity.ts';
import { type ArchiveEntry, LARGEST_FILE } from './read-zip.ts';

const BLOCK = 512;

/** The files of a tar.gz archive on disk, in its order, one in memory at a time. Knows ustar, and pax and GNU names. */
export async function* readTarGz(path: string): AsyncGenerator<ArchiveEntry> {
  const source = createReadStream(path);
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  const bytes = reader(source.pipe(gunzip));
  try {
    let longName: string | undefined;
    for (let header = await bytes.take(BLOCK); !header.every((byte) => byte === 0); header = await bytes.take(BLOCK)) {
      const { name, size, type } = readHeader(header);
      const content = await bytes.take(size);
      await bytes.take((BLOCK - (size % BLOCK)) % BLOCK);
      if (type === 'x') longName = paxPath(content) ?? longName;
      else if (type === 'L') longName = text(content, 0, content.length);
      else {
        if (type === '0') yield { name: longName ?? name, content };
        longName = undefined;
      }
    }
    await bytes.drain();
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

const broken = (why: string) => new IntegrityError(`The tar.gz archive is broken: ${why}`);

interface Reader {
  take(length: number): Promise<Buffer>;
  /** To the end, where the checksum is. */
  drain(): Promise<void>;
}

function reader(stream: AsyncIterable<Buffer>): Reader {
  const chunks = stream[Symbol.asyncIterator]();
  const next = () =>
    chunks.next().catch((error) => {
      throw (error as { code?: string }).code?.startsWith('Z_') ? broken('it cannot be unpacked') : error;
    });
  let rest: Buffer[] = [];
  let available = 0;
  return {
    async take(length) {
      if (length > LARGEST_FILE) throw broken('an entry is too large');
      while (available < length) {
        const chunk = await next();
        if (chunk.done) throw broken('it ends too early');
        rest.push(chunk.value);
        available += chunk.value.length;
      }
      const all = rest.length === 1 && rest[0] ? rest[0] : Buffer.concat(rest, available);
      rest = [all.subarray(length)];
      available -= length;
      return all.subarray(0, length);
    },
    async drain() {
      while (!(await next()).done);
    },
  };
}

function text(bytes: Buffer, start: number, end: number): string {
  const field = bytes.subarray(start, end);
  const zero = field.indexOf(0);
  return field.toString('utf8', 0, zero < 0 ? field.length : zero);
}

function octal(bytes: Buffer, start: number, end: number): number {
  const value = Number.parseInt(text(bytes, start, end).trim() || '0', 8);
  if (!Number.isSafeInteger(value)) throw broken('a header cannot be read');
  return value;
}

function readHeader(header: Buffer): { name: string; size: number; type: string } {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== octal(header, 148, 156)) throw broken('a header differs from its checksum');
  const prefix = text(header, 345, 500);
  const name = text(header, 0, 100);
  const type = text(header, 156, 157) || '0';
  return { name: prefix ? `${prefix}/${name}` : name, size: octal(header, 124, 136), type };
}

function paxPath(content: Buffer): string | undefined {
  for (let at = 0; at < content.length; ) {
    const length = Number.parseInt(content.toString('utf8', at, at + 12), 10);
    if (!(length > 0)) throw broken('a pax header cannot be read');
    const record = content.toString('utf8', at, at + length);
    const [, key, value] = /^\d+ ([^=]+)=([\s\S]*)\n$/.exec(record) ?? [];
    if (key === 'path') return value;
    at += length;
  }
  return undefined;
}
