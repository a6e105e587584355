// One contract for every store: what holds for a folder holds for a bucket.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BlobMissing, type Blobs } from './blobs.ts';
import { createFolderStore } from './folder-store.ts';
import { startS3Server } from './s3-server.fixture.ts';
import { createS3Store } from './s3-store.ts';

interface Opened {
  blobs: Blobs;
  close(): Promise<void>;
}

async function openFolder(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'kwit blobs-'));
  return {
    blobs: await createFolderStore({ folder }),
    close: async () => rmSync(folder, { recursive: true }),
  };
}

async function openBucket(): Promise<Opened> {
  const server = await startS3Server();
  const store = createS3Store({ ...server, prefix: 'node-a/' });
  await store.check();
  return {
    blobs: store,
    close: async () => {
      store.close();
      await server.close();
    },
  };
}

/** Bytes that differ everywhere, so that a lost or repeated piece shows. */
function pattern(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index + 4 <= length; index += 4) bytes.writeUInt32LE((index * 2654435761) >>> 0, index);
  return bytes;
}
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const inChunks = (bytes: Buffer, size: number) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
  );

describe.each([
  ['folder', openFolder],
  ['S3', openBucket],
])('blobs in a %s', (_kind, open) => {
  let store: Opened;
  let blobs: Blobs;
  const read = async (key: string, range?: { start: number; end: number }) => buffer(await blobs.get(key, range));

  beforeAll(async () => {
    store = await open();
    blobs = store.blobs;
  });
  afterAll(() => store.close());

  test('gives back what was put, with its size and SHA-256', async () => {
    const bytes = pattern(100_003);
    const put = await blobs.put('sessions/a-1/part-1', bytes);
    expect(put.size).toBe(100_003);
    expect(put.sha256.toString('hex')).toBe(sha256(bytes));
    expect(await blobs.size('sessions/a-1/part-1')).toBe(100_003);
    expect((await read('sessions/a-1/part-1')).equals(bytes)).toBe(true);
  });

  test('an empty blob is a blob', async () => {
    for (const empty of [Buffer.alloc(0), Readable.from([])]) {
      expect((await blobs.put('empty', empty)).size).toBe(0);
      expect(await blobs.size('empty')).toBe(0);
      expect((await read('empty')).length).toBe(0);
    }
  });

  // 8 MiB is the size of an S3 part: below, exactly, just above, several with a rest.
  test.each([
    8 * 1024 * 1024 - 1,
    8 * 1024 * 1024,
    8 * 1024 * 1024 + 1,
    20_000_001,
  ])('takes a stream of unknown length of %d bytes', async (length) => {
    const bytes = pattern(length);
    const put = await blobs.put('large', inChunks(bytes, 77_777));
    expect(put.size).toBe(length);
    expect(put.sha256.toString('hex')).toBe(sha256(bytes));
    expect(await blobs.size('large')).toBe(length);
    expect(sha256(await read('large'))).toBe(sha256(bytes));
  });

  test('an existing blob is replaced', async () => {
    await blobs.put('replaced', Buffer.from('long first content'));
    await blobs.put('replaced', Buffer.from('second'));
    expect((await read('replaced')).toString()).toBe('second');
    expect(await blobs.size('replaced')).toBe(6);
  });

  test.each([10, 9_000_000])('a source that fails after %d bytes leaves the blob that was there', async (length) => {
    await blobs.put('kept', Buffer.from('before'));
    const source = Readable.from(
      (function* () {
        yield pattern(length);
        throw new Error('connection lost');
      })(),
    );
    await expect(blobs.put('kept', source)).rejects.toThrow('connection lost');
    expect((await read('kept')).toString()).toBe('before');
    await expect(blobs.put('never', Readable.from([new Error('not bytes')]))).rejects.toThrow();
    await expect(blobs.size('never')).rejects.toBeInstanceOf(BlobMissing);
  });

  test('reads ranges with both ends included', async () => {
    await blobs.put('digits', Buffer.from('0123456789'));
    expect((await read('digits', { start: 0, end: 0 })).toString()).toBe('0');
    expect((await read('digits', { start: 3, end: 6 })).toString()).toBe('3456');
    expect((await read('digits', { start: 9, end: 9 })).toString()).toBe('9');
    expect((await read('digits', { start: 8, end: 1_000 })).toString()).toBe('89');
    await expect(blobs.get('digits', { start: 10, end: 11 })).rejects.toBeInstanceOf(RangeError);
    await expect(blobs.get('digits', { start: 5, end: 4 })).rejects.toBeInstanceOf(RangeError);
    await expect(blobs.get('digits', { start: -1, end: 4 })).rejects.toBeInstanceOf(RangeError);
  });

  test('what is not there is missing', async () => {
    await expect(blobs.get('nothing')).rejects.toBeInstanceOf(BlobMissing);
    await expect(blobs.get('nothing', { start: 0, end: 1 })).rejects.toBeInstanceOf(BlobMissing);
    await expect(blobs.size('nothing')).rejects.toBeInstanceOf(BlobMissing);
  });

  test('deletes, and deleting again is fine', async () => {
    await blobs.put('short-lived', Buffer.from('x'));
    await blobs.delete('short-lived');
    await expect(blobs.get('short-lived')).rejects.toBeInstanceOf(BlobMissing);
    await blobs.delete('short-lived');
  });

  test.each([
    '',
    '/a',
    'a/',
    'a//b',
    '../a',
    'a/../b',
    'A',
    'a b',
    'a\\b',
    'a\0b',
    'a.b',
    'ż',
    'a_b',
    `${'x'.repeat(201)}`,
  ])('refuses the key %j', async (key) => {
    await expect(blobs.put(key, Buffer.from('x'))).rejects.toBeInstanceOf(TypeError);
    await expect(blobs.get(key)).rejects.toBeInstanceOf(TypeError);
    await expect(blobs.size(key)).rejects.toBeInstanceOf(TypeError);
    await expect(blobs.delete(key)).rejects.toBeInstanceOf(TypeError);
  });

  test('keys that differ only in where the slash is are different blobs', async () => {
    await blobs.put('a/b-c', Buffer.from('1'));
    await blobs.put('a-b/c', Buffer.from('2'));
    expect((await read('a/b-c')).toString()).toBe('1');
    expect((await read('a-b/c')).toString()).toBe('2');
  });

  test('many writers of one key: one of them wins whole', async () => {
    const contents = Array.from({ length: 8 }, (_, index) => Buffer.alloc(50_000, index + 1));
    await Promise.all(contents.map((content) => blobs.put('contended', inChunks(content, 7_000))));
    const found = await read('contended');
    expect(contents.some((content) => content.equals(found))).toBe(true);
  });
});
