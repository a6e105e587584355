import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Blobs } from './platform/blobs/blobs.ts';
import { createFolderStore } from './platform/blobs/folder-store.ts';
import { createS3Store } from './platform/blobs/s3-store.ts';
import type { Random } from './platform/random.ts';

/** The blob store of the configuration: a folder, by default inside the data folder, or a bucket. */
export async function openBlobs(config: Config, random: Random): Promise<Blobs> {
  const bucket = /^s3:\/\/(.+)$/.exec(config.blobs)?.[1];
  if (bucket === undefined) return createFolderStore({ folder: config.blobs || join(config.data, 'blobs'), random });
  return createS3Store({ bucket, ...(config.s3Endpoint === '' ? {} : { endpoint: config.s3Endpoint }) });
}
