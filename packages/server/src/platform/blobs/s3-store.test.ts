import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { BlobMissing } from './blobs.ts';
import { type S3Server, startS3Server } from './s3-server.fixture.ts';
import { createS3Store, type S3Store } from './s3-store.ts';

let server: S3Server;
let store: S3Store;
beforeAll(async () => {
  server = await startS3Server();
  store = createS3Store({ ...server, prefix: 'kwit/' });
});
afterAll(async () => {
  store.close();
  await server.close();
});
beforeEach(() => {
  server.requests.length = 0;
  server.failWhen(() => false);
});

function* megabytes(count: number) {
  for (let index = 0; index < count; index += 1) yield Buffer.alloc(1_000_000, index);
}
const kinds = () =>
  server.requests.map((line) =>
    line
      .replace(/uploadId=[^&]+/, 'uploadId')
      .replace(/&?x-id=\w+/, '')
      .replace(/\?$/, ''),
  );

test('a small blob is one request, path style, under the prefix', async () => {
  await store.put('a/b', Buffer.from('x'));
  expect(kinds()).toEqual(['PUT /kwit-test/kwit/a/b']);
});

test('a large blob goes in parts and is completed', async () => {
  await store.put('large', Readable.from(megabytes(20)));
  const made = kinds();
  expect(made[0]).toMatch(/^POST .*\?uploads/);
  expect(made.slice(1, 4).map((line) => /partNumber=(\d)/.exec(line)?.[1])).toEqual(['1', '2', '3']);
  expect(made[4]).toMatch(/^POST .*\?uploadId/);
  expect(made).toHaveLength(5);
});

test('a part that fails takes the upload back and tells why; the source is let go', async () => {
  server.failWhen((line) => line.includes('partNumber=2'));
  const source = Readable.from(megabytes(40));
  await expect(store.put('broken', source)).rejects.toThrow('on purpose');
  expect(kinds().at(-1)).toMatch(/^DELETE .*\?uploadId/);
  expect(source.destroyed).toBe(true);
  await expect(store.size('broken')).rejects.toBeInstanceOf(BlobMissing);
});

test('an upload that cannot even be opened lets the source go', async () => {
  server.failWhen((line) => line.includes('?uploads'));
  const source = Readable.from(megabytes(40));
  await expect(store.put('broken', source)).rejects.toThrow('on purpose');
  expect(source.destroyed).toBe(true);
});

test('the source is read no faster than parts travel', async () => {
  let produced = 0;
  let producedAtFirstPart = 0;
  server.failWhen((line) => {
    if (line.includes('partNumber=1')) producedAtFirstPart = produced;
    return false;
  });
  const source = Readable.from(
    (function* () {
      for (; produced < 64; produced += 1) yield Buffer.alloc(1_000_000);
    })(),
    { highWaterMark: 1 },
  );
  await store.put('slow', source);
  // One part of 8.4 MB travels, the next fills: never much more than that was taken from the source.
  expect(producedAtFirstPart).toBeLessThanOrEqual(20);
  expect(await store.size('slow')).toBe(64_000_000);
});

test('the check names a bucket that does not exist', async () => {
  const other = createS3Store({ ...server, bucket: 'no-such-bucket' });
  await expect(other.check()).rejects.toThrow(/the bucket 'no-such-bucket' at http:\/\/127/);
  other.close();
  await store.check();
});

test('credentials come from the usual AWS variables when none are given', async () => {
  const before = { ...process.env };
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' });
  try {
    const { endpoint, bucket } = server;
    const fromEnvironment = createS3Store({ endpoint, bucket });
    await fromEnvironment.put('env', Buffer.from('x'));
    expect(await fromEnvironment.size('env')).toBe(1);
    fromEnvironment.close();
  } finally {
    process.env = before;
  }
});
