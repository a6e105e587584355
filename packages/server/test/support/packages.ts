import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import * as sessions from '@kwit/contract/session-endpoints';
import { buildZip } from '../../src/platform/archive/zip-builder.fixture.ts';
import { type Actor, FA3, wrapKey } from './actors.ts';
import type { TestService } from './service.ts';

/** Packages of a test: archives made, cut, encrypted, declared, uploaded and closed as a client would, with every step open to change. */
export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64');

/** A zip of files by name. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  return buildZip(Object.entries(files).map(([name, content]) => ({ name, content })));
}

export interface PackageOptions {
  parts?: number;
  compressionType?: 'Zip' | 'TarGz';
  /** No vector at opening: each part begins with its own. */
  ownVectors?: boolean;
  /** Changes the request before it is sent. */
  change?(body: OpenBody): OpenBody;
  /** Changes encrypted parts before they are declared. */
  encrypt?(part: Buffer, ordinal: number, key: Buffer, vector: Buffer): Buffer;
  /** The key that is wrapped, when it is not the one used. */
  wrapped?: string;
  offlineMode?: boolean;
  headers?: Record<string, string>;
}

export type OpenBody = Parameters<Actor['transport']['call']>[1] extends never
  ? never
  : {
      formCode: typeof FA3;
      batchFile: {
        fileSize: number;
        fileHash: string;
        compressionType?: 'Zip' | 'TarGz';
        compression?: 'Zip' | 'TarGz';
        fileParts: { ordinalNumber: number; fileSize: number; fileHash: string }[];
      };
      encryption?: { encryptedSymmetricKey: string; initializationVector?: string; publicKeyId?: string };
      encryptionKey?: unknown;
      compression?: 'Zip' | 'TarGz';
      compressionType?: 'Zip' | 'TarGz';
      offlineMode?: boolean;
    };

export interface OpenedPackage {
  reference: string;
  key: Buffer;
  vector: Buffer;
  parts: Buffer[];
  uploads: { ordinalNumber: number; method: string; url: string; headers: Record<string, string> }[];
}

export function encryptPart(part: Buffer, key: Buffer, vector: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  return Buffer.concat([cipher.update(part), cipher.final()]);
}

/** Nearly equal pieces; an archive shorter than the number of parts is not cut so often. */
export function cut(archive: Buffer, parts: number): Buffer[] {
  const size = Math.max(1, Math.ceil(archive.length / parts));
  const pieces: Buffer[] = [];
  for (let start = 0; start < archive.length; start += size) pieces.push(archive.subarray(start, start + size));
  return pieces.length === 0 ? [archive] : pieces;
}

export async function openPackage(actor: Actor, archive: Buffer, options: PackageOptions = {}): Promise<OpenedPackage> {
  const key = randomBytes(32);
  const vector = randomBytes(16);
  const encrypt =
    options.encrypt ??
    ((part: Buffer) => {
      const own = options.ownVectors ? randomBytes(16) : vector;
      const ciphertext = encryptPart(part, key, own);
      return options.ownVectors ? Buffer.concat([own, ciphertext]) : ciphertext;
    });
  const parts = cut(archive, options.parts ?? 1).map((part, index) => encrypt(part, index + 1, key, vector));
  const body: OpenBody = {
    formCode: FA3,
    batchFile: {
      fileSize: Math.max(1, archive.length),
      fileHash: sha256(archive),
      ...(options.compressionType ? { compressionType: options.compressionType } : {}),
      fileParts: parts.map((part, index) => ({
        ordinalNumber: index + 1,
        fileSize: part.length,
        fileHash: sha256(part),
      })),
    },
    encryption: {
      encryptedSymmetricKey: options.wrapped ?? (await wrapKey(actor.transport, key)),
      ...(options.ownVectors ? {} : { initializationVector: vector.toString('base64') }),
    },
    ...(options.offlineMode === undefined ? {} : { offlineMode: options.offlineMode }),
  };
  const { referenceNumber, partUploadRequests } = await actor.transport.call(sessions.openBatchSession, {
    token: actor.token,
    headers: options.headers ?? {},
    body: options.change ? options.change(body) : body,
  });
  return { reference: referenceNumber, key, vector, parts, uploads: partUploadRequests };
}

export async function upload(
  opened: OpenedPackage,
  ordinal: number,
  bytes = opened.parts[ordinal - 1],
): Promise<number> {
  const link = opened.uploads.find((u) => u.ordinalNumber === ordinal);
  if (!link || !bytes) throw new Error(`there is no part ${ordinal}`);
  const response = await fetch(link.url, { method: link.method, headers: link.headers, body: new Uint8Array(bytes) });
  await response.arrayBuffer();
  return response.status;
}

export async function uploadAll(opened: OpenedPackage): Promise<void> {
  const statuses = await Promise.all(opened.uploads.map((u) => upload(opened, u.ordinalNumber)));
  if (statuses.some((status) => status !== 201)) throw new Error(`uploads answered ${statuses.join(', ')}`);
}

export function closePackage(actor: Actor, opened: { reference: string }): Promise<unknown> {
  return actor.transport.call(sessions.closeBatchSession, {
    token: actor.token,
    params: { referenceNumber: opened.reference },
  });
}

export function packageStatus(actor: Actor, opened: { reference: string }) {
  return actor.transport.call(sessions.readSession, {
    token: actor.token,
    params: { referenceNumber: opened.reference },
  });
}

export async function packageInvoices(actor: Actor, opened: { reference: string }) {
  const { invoices } = await actor.transport.call(sessions.listSessionInvoices, {
    token: actor.token,
    params: { referenceNumber: opened.reference },
    query: { pageSize: 1000 },
  });
  return invoices;
}

/** The whole way of a package, to its final status. */
export async function sendPackage(
  service: TestService,
  actor: Actor,
  archive: Buffer,
  options: PackageOptions = {},
): Promise<OpenedPackage> {
  const opened = await openPackage(actor, archive, options);
  await uploadAll(opened);
  await closePackage(actor, opened);
  await service.drain();
  return opened;
}
