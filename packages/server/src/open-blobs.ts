import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Blobs } from './platform/blobs/blobs.ts';
import { createFolderStore } from './platform/blobs/folder-store.ts';
import type { Random } from './platform/random.ts';

/** The blob store of the configuration: a folder, by default inside the data folder, or a bucket. */
export async function openBlobs(config: Config, random: Random): Promise<Blobs> {
  const bucket = /^s3:\/\/(.+)$/.exec(config.blobs)?.[1];
  if (bucket === undefined) return createFolderStore({ folder: config.blobs || join(config.data, 'blobs'), random });
  // Loaded only where a bucket is used: 30 MB that a folder does not need.
  const { createS3Store } = await import('./platform/blobs/s3-store.ts');
  const store = createS3Store({ bucket, ...(config.s3Endpoint === '' ? {} : { endpoint: config.s3Endpoint }) });
  // A wrong bucket or key is better known now than with the first package.
  await store.check();
  return store;
}
