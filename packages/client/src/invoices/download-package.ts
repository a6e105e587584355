import { createDecipheriv, createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { readExport } from '@kwit/contract/retrieval-endpoints';
import type { ContentKey } from '../content-cipher.ts';
import type { Transport } from '../transport.ts';
import { checkDigest } from './integrity.ts';
import type { ExportPackage, StartedExport } from './start-export.ts';

type Part = ExportPackage['parts'][number];

/** Tries of one part, each with a fresh link: links die after an hour, connections at any time. */
const TRIES = 3;

/**
 * Downloads the parts of a package into a file, decrypted and joined: one part after the other, streaming, every size and hash checked
 * before and after decryption.
 */
export async function downloadPackage(
  transport: Transport,
  started: StartedExport,
  ready: ExportPackage,
  path: string,
  onBytes: (done: number, of: number) => void = () => undefined,
): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    let done = 0;
    for (const part of ready.parts.toSorted((a, b) => a.ordinalNumber - b.ordinalNumber)) {
      await downloadAnew(transport, started, part, file, done);
      done += part.partSize;
      onBytes(done, ready.size);
    }
  } finally {
    await file.close();
  }
}

async function downloadAnew(
  transport: Transport,
  started: StartedExport,
  part: Part,
  file: FileHandle,
  position: number,
): Promise<void> {
  let link = part;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await downloadPart(transport, started, link, file, position);
    } catch (error) {
      if (attempt === TRIES) throw error;
      const params = { referenceNumber: started.referenceNumber };
      const status = await transport.call(readExport, { params });
      const again = status.package?.parts.find(({ ordinalNumber }) => ordinalNumber === part.ordinalNumber);
      if (!again) throw error;
      link = again;
    }
  }
}

async function downloadPart(
  transport: Transport,
  { key, vector }: ContentKey,
  part: Part,
  file: FileHandle,
  position: number,
): Promise<void> {
  const response = await transport.follow(part.url, { method: part.method });
  if (!response.ok || !response.body) throw new Error(`The link of ${part.partName} answers ${response.status}.`);
  const decipher = createDecipheriv('aes-256-cbc', key, vector);
  const [encrypted, plain] = [createHash('sha256'), createHash('sha256')];
  let encryptedSize = 0;
  let size = 0;
  const write = async (bytes: Buffer) => {
    plain.update(bytes);
    for (let at = 0; at < bytes.length; ) {
      at += (await file.write(bytes, at, bytes.length - at, position + size + at)).bytesWritten;
    }
    size += bytes.length;
  };
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    encrypted.update(chunk);
    encryptedSize += chunk.length;
    await write(decipher.update(chunk));
  }
  checkDigest(
    `The encrypted part ${part.partName}`,
    { hash: encrypted.digest('base64'), size: encryptedSize },
    { hash: part.encryptedPartHash, size: part.encryptedPartSize },
  );
  await write(decipher.final());
  checkDigest(
    `The part ${part.partName}`,
    { hash: plain.digest('base64'), size },
    { hash: part.partHash, size: part.partSize },
  );
}
