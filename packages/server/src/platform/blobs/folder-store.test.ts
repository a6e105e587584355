import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFolderStore } from './folder-store.ts';
import { temporaryFile } from './temporary-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kwit-folder-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function files(): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

test('spreads blobs over two levels of folders under their readable name, for our eyes only', async () => {
  const blobs = await createFolderStore({ folder });
  await blobs.put('sessions/s-1/part-2', Buffer.from('x'));
  expect(files()).toEqual([expect.stringMatching(/^[0-9a-f]{2}\/[0-9a-f]{2}\/sessions_s-1_part-2$/)]);
  expect(statSync(join(folder, files()[0] ?? '')).mode & 0o777).toBe(0o600);
});

test('a failed write leaves no file behind', async () => {
  const blobs = await createFolderStore({ folder });
  const broken = Readable.from(
    (function* () {
      yield Buffer.alloc(1_000);
      throw new Error('lost');
    })(),
  );
  await expect(blobs.put('x', broken)).rejects.toThrow('lost');
  expect(files()).toEqual([]);
});

test('a start clears what dead writers left and keeps what living ones write', async () => {
  const blobs = await createFolderStore({ folder });
  // A process that certainly ended.
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const random = { uuid: () => '00000000-0000-4000-8000-000000000000', bytes: Buffer.alloc };
  const ourName = temporaryFile(join(folder, 'tmp'), random);
  const named = (owner: number) => ourName.replace(`-${process.pid}-`, `-${owner}-`);
  const dead = named(pid);
  const living = named(process.ppid);
  const foreign = join(folder, 'tmp', 'ffffffff-1-x.tmp');
  const earlierLife = ourName.replace('.tmp', '0.tmp');
  mkdirSync(join(folder, 'tmp'), { recursive: true });
  for (const path of [dead, living, foreign, earlierLife, ourName]) writeFileSync(path, 'half');

  let release = () => {};
  const running = blobs.put(
    'running',
    Readable.from(
      (async function* () {
        yield Buffer.from('first ');
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        yield Buffer.from('second');
      })(),
    ),
  );
  const again = await createFolderStore({ folder });
  release();
  await running;

  expect((await buffer(await again.get('running'))).toString()).toBe('first second');
  const left = readdirSync(join(folder, 'tmp')).map((name) => join(folder, 'tmp', name));
  expect(left.sort()).toEqual([living, foreign, ourName].sort());
});

test('a reader keeps the bytes it opened when the blob is replaced or deleted', async () => {
  const blobs = await createFolderStore({ folder });
  await blobs.put('x', Buffer.from('first'));
  const one = await blobs.get('x');
  await blobs.put('x', Buffer.from('second'));
  const two = await blobs.get('x');
  await blobs.delete('x');
  expect((await buffer(one)).toString()).toBe('first');
  expect((await buffer(two)).toString()).toBe('second');
});

test('a store opened later finds what was put before', async () => {
  await (await createFolderStore({ folder })).put('x', Buffer.from('kept'));
  const later = await createFolderStore({ folder });
  expect((await buffer(await later.get('x'))).toString()).toBe('kept');
});
