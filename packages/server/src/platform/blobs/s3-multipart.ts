import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/** 640 parts for the largest package of 5 GB; S3 allows 10,000 parts and none but the last below 5 MB. */
export const PART_BYTES = 8 * 1024 * 1024;
const MOST_PARTS = 10_000;

/**
 * Uploads a blob of unknown length part by part. While one part travels the next one fills: two are in memory at most.
 * The blob appears when the last request completes it; any failure before takes the parts back.
 */
export async function uploadInParts(
  client: S3Client,
  to: { Bucket: string; Key: string },
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(to));
  if (UploadId === undefined) throw new Error('the store opened an upload without an id');
  const upload = { ...to, UploadId };
  const sent: { ETag: string | undefined; PartNumber: number }[] = [];

  function send(body: Buffer): Promise<void> {
    const sending = sendPart(body);
    // It is awaited only when the next part is full; a failure until then must not count as unhandled.
    sending.catch(() => {});
    return sending;
  }

  async function sendPart(body: Buffer): Promise<void> {
    const PartNumber = sent.length + 1;
    if (PartNumber > MOST_PARTS) throw new RangeError(`a blob has at most ${MOST_PARTS} parts of ${PART_BYTES} bytes`);
    const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body: body }));
    sent.push({ ETag, PartNumber });
  }

  let travelling = send(first);
  try {
    for await (const part of rest) {
      await travelling;
      travelling = send(part);
    }
    await travelling;
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: sent } }));
  } catch (error) {
    await travelling.catch(() => {});
    // What failed is worth more to the caller than that cleaning up failed as well.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
    throw error;
  }
}
