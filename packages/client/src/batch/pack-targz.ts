import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { BatchFile } from './batch-file.ts';

const BLOCK = 512;
const ASCII = /^[\x20-\x7e]{1,100}$/;

/** A gzipped tar piece by piece; one file at a time is in memory. */
export async function* packTarGz(
  files: Iterable<BatchFile>,
  packed: (file: BatchFile) => void,
): AsyncGenerator<Buffer> {
  const tar = Readable.from(tarBytes(files, packed), { objectMode: false });
  const gzip = createGzip();
  tar.on('error', (error) => gzip.destroy(error));
  for await (const chunk of tar.pipe(gzip)) yield chunk as Buffer;
}

async function* tarBytes(files: Iterable<BatchFile>, packed: (file: BatchFile) => void): AsyncGenerator<Buffer> {
  for (const file of files) {
    const content = Buffer.from(await file.read());
    if (ASCII.test(file.name)) yield header(file.name, content.length, '0');
    else {
      // Long names, and letters beyond ASCII, stand in a pax record before the entry.
      const record = paxRecord('path', file.name);
      yield Buffer.concat([header('name', record.length, 'x'), record, padding(record.length)]);
      yield header('named-before', content.length, '0');
    }
    yield content;
    yield padding(content.length);
    packed(file);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function padding(length: number): Buffer {
  return Buffer.alloc((BLOCK - (length % BLOCK)) % BLOCK);
}

/** `length key=value\n`; the length counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (rest + String(length).length !== length) length += 1;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

function header(name: string, size: number, type: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1');
  block.write(name, 0, 'latin1');
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  return block;
}
