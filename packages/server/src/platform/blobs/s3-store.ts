import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { BlobMissing, type Blobs, checkKey, checkRange } from './blobs.ts';
import { inParts } from './parts.ts';
import { PART_BYTES, uploadInParts } from './s3-multipart.ts';

export interface S3StoreOptions {
  bucket: string;
  /** Another server than Amazon's, such as `http://localhost:9000`. */
  endpoint?: string;
  /** By default `AWS_REGION`, else `us-east-1` (stores other than Amazon's mostly ignore it). */
  region?: string;
  /** Put before every key, so that several services can share a bucket. */
  prefix?: string;
  /** By default from the usual AWS variables, files and instance roles. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

export interface S3Store extends Blobs {
  /** Rejects with a sentence when the bucket cannot be reached: for the start and the readiness check. */
  check(): Promise<void>;
  close(): void;
}

/** Blobs in a bucket of any store that speaks S3. Small ones go in one request, others in parts; memory stays at two parts. */
export function createS3Store(options: S3StoreOptions): S3Store {
  const client = new S3Client({
    region: options.region ?? process.env.AWS_REGION ?? 'us-east-1',
    forcePathStyle: true,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
    // The signature already covers the hash of every body; the newer trailing checksums are unknown to many stores.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });

  function address(key: string): { Bucket: string; Key: string } {
    checkKey(key);
    return { Bucket: options.bucket, Key: `${options.prefix ?? ''}${key}` };
  }

  return {
    async put(key, content) {
      const to = address(key);
      const hash = createHash('sha256');
      let size = 0;
      const parts = inParts(Buffer.isBuffer(content) ? [content] : content, PART_BYTES, (chunk) => {
        hash.update(chunk);
        size += chunk.length;
      });
      try {
        const first = await parts.next();
        const head = first.done ? Buffer.alloc(0) : first.value;
        if (head.length < PART_BYTES) await client.send(new PutObjectCommand({ ...to, Body: head }));
        else await uploadInParts(client, to, head, parts);
      } finally {
        // Nobody reads the rest of the source after a failure.
        await parts.return(undefined);
      }
      return { size, sha256: hash.digest() };
    },

    async get(key, range) {
      if (range) checkRange(range);
      try {
        const answer = await client.send(
          new GetObjectCommand({ ...address(key), ...(range && { Range: `bytes=${range.start}-${range.end}` }) }),
        );
        if (!(answer.Body instanceof Readable)) throw new Error('the store answered without a stream');
        return range ? exactly(answer.Body, range, answer) : answer.Body;
      } catch (error) {
        if (isMissing(error)) throw new BlobMissing(key);
        if (range && isOutOfRange(error)) throw new RangeError(`the blob '${key}' has no byte at ${range.start}`);
        throw error;
      }
    },

    async size(key) {
      try {
        const answer = await client.send(new HeadObjectCommand(address(key)));
        if (answer.ContentLength === undefined) throw new Error('the store answered without a length');
        return answer.ContentLength;
      } catch (error) {
        throw isMissing(error) ? new BlobMissing(key) : error;
      }
    },

    async delete(key) {
      try {
        await client.send(new DeleteObjectCommand(address(key)));
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    },

    async check() {
      try {
        await client.send(new HeadBucketCommand({ Bucket: options.bucket }));
      } catch (error) {
        const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
        throw new Error(
          `the bucket '${options.bucket}' at ${options.endpoint ?? 'Amazon S3'} cannot be used (${why})`,
          {
            cause: error,
          },
        );
      }
    },

    close: () => client.destroy(),
  };
}

/** Not every store honours every range: one that sends more than asked is cut, one that starts elsewhere is refused. */
function exactly(
  body: Readable,
  range: { start: number; end: number },
  answer: { ContentRange?: string | undefined; ContentLength?: number | undefined },
): Readable {
  const wanted = range.end - range.start + 1;
  const start = Number(/^bytes (\d+)-/.exec(answer.ContentRange ?? '')?.[1] ?? 0);
  if (start !== range.start) {
    body.destroy();
    throw new Error(`the store answered with bytes from ${start}, asked for ${range.start}`);
  }
  if (answer.ContentLength !== undefined && answer.ContentLength <= wanted) return body;
  return Readable.from(first(body, wanted), { objectMode: false });
}

async function* first(body: Readable, wanted: number): AsyncGenerator<Buffer> {
  let left = wanted;
  for await (const chunk of body) {
    yield (chunk as Buffer).subarray(0, left);
    left -= (chunk as Buffer).length;
    if (left <= 0) return;
  }
}

function isMissing(error: unknown): boolean {
  const { name } = error as Error;
  return name === 'NoSuchKey' || name === 'NotFound';
}

function isOutOfRange(error: unknown): boolean {
  const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  return name === 'InvalidRange' || $metadata?.httpStatusCode === 416;
}
