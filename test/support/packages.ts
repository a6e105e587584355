import { constants, createCipheriv, createDecipheriv, publicEncrypt, randomBytes } from 'node:crypto';
import type { Login } from '@kwit/client';
import type { Input, Output } from '@kwit/contract/endpoint';
import { readExport, startExport } from '@kwit/contract/retrieval-endpoints';
import { closeBatchSession, openBatchSession } from '@kwit/contract/session-endpoints';
import { expect } from 'vitest';
import { sha256 } from './invoices.ts';
import { client } from './parties.ts';

/** Key and vector of one package, and how the service is told them. */
export interface PackageKey {
  key: Buffer;
  vector: Buffer;
  wire: { encryptedSymmetricKey: string; initializationVector: string; publicKeyId: string };
}

export async function newPackageKey(): Promise<PackageKey> {
  const [key, vector] = [randomBytes(32), randomBytes(16)];
  const { publicKey, publicKeyId } = await client.auth.publicKeys.choose('SymmetricKeyEncryption');
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const wrapped = publicEncrypt({ key: publicKey, padding, oaepHash: 'sha256' }, key);
  return {
    key,
    vector,
    wire: {
      encryptedSymmetricKey: wrapped.toString('base64'),
      initializationVector: vector.toString('base64'),
      publicKeyId,
    },
  };
}

export function encrypt({ key, vector }: Pick<PackageKey, 'key' | 'vector'>, plain: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  return Buffer.concat([cipher.update(plain), cipher.final()]);
}

export function decrypt({ key, vector }: Pick<PackageKey, 'key' | 'vector'>, content: Buffer): Buffer {
  const cipher = createDecipheriv('aes-256-cbc', key, vector);
  return Buffer.concat([cipher.update(content), cipher.final()]);
}

type BatchRequest = Input<typeof openBatchSession, 'body'>;

export interface PackageOptions {
  parts?: number;
  compressionType?: 'Zip' | 'TarGz';
  change?: (request: BatchRequest) => BatchRequest;
}

export type OpenedPackage = Output<typeof openBatchSession> & { contents: Buffer[]; packageKey: PackageKey };

export async function openPackage(login: Login, archive: Buffer, options: PackageOptions = {}): Promise<OpenedPackage> {
  const { parts = 1, compressionType, change = (request) => request } = options;
  const packageKey = await newPackageKey();
  const size = Math.ceil(archive.length / parts);
  const contents = Array.from({ length: parts }, (_, at) =>
    encrypt(packageKey, archive.subarray(at * size, (at + 1) * size)),
  );
  const body = change({
    formCode: { systemCode: 'FA (3)', schemaVersion: '1-0E', value: 'FA' },
    encryption: packageKey.wire,
    batchFile: {
      fileSize: archive.length,
      fileHash: sha256(archive),
      ...(compressionType && { compressionType }),
      fileParts: contents.map((part, at) => ({
        ordinalNumber: at + 1,
        fileSize: part.length,
        fileHash: sha256(part),
      })),
    },
  });
  return { ...(await login.call(openBatchSession, { body })), contents, packageKey };
}

/** Sends the parts as the service asks for them; gives the statuses of the answers. */
export function uploadParts(opened: OpenedPackage): Promise<number[]> {
  return Promise.all(
    opened.partUploadRequests.map(async ({ ordinalNumber, method, url, headers }) => {
      const body = opened.contents[ordinalNumber - 1] as NonNullable<RequestInit['body']>;
      return (await fetch(url, { method, headers, body })).status;
    }),
  );
}

/** Opens, uploads and closes; the judgement is awaited by `login.sessions.waitForSession`. */
export async function sendPackage(login: Login, archive: Buffer, options: PackageOptions = {}): Promise<OpenedPackage> {
  const opened = await openPackage(login, archive, options);
  const statuses = await uploadParts(opened);
  expect(new Set(statuses)).toEqual(new Set([201]));
  await closePackage(login, opened);
  return opened;
}

export async function closePackage(login: Login, { referenceNumber }: { referenceNumber: string }): Promise<void> {
  await login.call(closeBatchSession, { params: { referenceNumber } });
}

type ExportRequest = Input<typeof startExport, 'body'>;
type ExportStatus = Output<typeof readExport>;

/** Starts an export and reads its status until it is over. */
export async function exportOf(login: Login, request: Omit<ExportRequest, 'encryption'>) {
  const packageKey = await newPackageKey();
  const body = { encryption: packageKey.wire, ...request };
  const { referenceNumber } = await login.call(startExport, { body });
  let status: ExportStatus | undefined;
  await expect
    .poll(
      async () => {
        status = await login.call(readExport, { params: { referenceNumber } });
        return status.status.code;
      },
      { timeout: 30_000, interval: 200 },
    )
    .not.toBe(100);
  return { referenceNumber, packageKey, status: status! };
}

/** Fetches the parts by their links, checks every announced hash and size, and gives the archive. */
export async function downloadExport({ status, packageKey }: Awaited<ReturnType<typeof exportOf>>): Promise<Buffer> {
  const archive: Buffer[] = [];
  for (const part of status.package?.parts ?? []) {
    const response = await fetch(part.url);
    const content = Buffer.from(await response.arrayBuffer());
    expect([response.status, content.length, sha256(content)]).toEqual([
      200,
      part.encryptedPartSize,
      part.encryptedPartHash,
    ]);
    const plain = decrypt(packageKey, content);
    expect([plain.length, sha256(plain)]).toEqual([part.partSize, part.partHash]);
    archive.push(plain);
  }
  return Buffer.concat(archive);
}
