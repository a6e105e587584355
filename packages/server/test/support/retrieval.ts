import { createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { ApiError } from '@kwit/client/api-error';
import { fingerprintCertificate, personCertificate } from '@kwit/client/test-certificates';
import type { Input, Output } from '@kwit/contract/endpoint';
import * as permissions from '@kwit/contract/permission-endpoints';
import * as endpoints from '@kwit/contract/retrieval-endpoints';
import tar from 'tar-stream';
import { expect } from 'vitest';
import yauzl from 'yauzl';
import { type Actor, logIn, wrapKey } from './actors.ts';
import type { TestService } from './service.ts';

/** Reading invoices as a stranger's client would: nothing of ours decrypts, joins or unpacks here. */
export type Fields = Record<string, unknown>;
export type ExportStatus = Output<typeof endpoints.readExport>;
export type Metadata = Output<typeof endpoints.queryMetadata>['invoices'][number];

export function query(actor: Actor, body: Fields, parameters: Fields = {}) {
  return actor.transport.call(endpoints.queryMetadata, {
    token: actor.token,
    body: body as never,
    query: parameters as never,
  });
}

export function download(actor: Actor, svcNumber: string) {
  return actor.transport.exchange(endpoints.getInvoice, { token: actor.token, params: { svcNumber } });
}

export async function refused(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    (answer) => expect.fail(`not refused: ${JSON.stringify(answer)}`),
    (e) => e,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

export interface StartedExport {
  reference: string;
  key: Buffer;
  vector: Buffer;
}

/** Starts an export; `change` goes over the body, `encryption` over its encryption. */
export async function startExport(
  actor: Actor,
  filters: Fields,
  change: Fields & { encryption?: Fields } = {},
): Promise<StartedExport> {
  const key = randomBytes(32);
  const vector = randomBytes(16);
  const encryption = {
    encryptedSymmetricKey: await wrapKey(actor.transport, key),
    initializationVector: vector.toString('base64'),
    ...change.encryption,
  };
  const body = { filters, ...change, encryption } as unknown as Input<typeof endpoints.startExport, 'body'>;
  const { referenceNumber } = await actor.transport.call(endpoints.startExport, { token: actor.token, body });
  return { reference: referenceNumber, key, vector };
}

export function exportStatus(actor: Actor, referenceNumber: string): Promise<ExportStatus> {
  return actor.transport.call(endpoints.readExport, { token: actor.token, params: { referenceNumber } });
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64');

/** Follows every link, holds every size and hash against the status, decrypts and joins. */
export async function downloadPackage(status: ExportStatus, { key, vector }: StartedExport): Promise<Buffer> {
  const plain: Buffer[] = [];
  for (const part of status.package?.parts ?? []) {
    const response = await fetch(part.url, { method: part.method });
    expect(response.status).toBe(200);
    const encrypted = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(part.encryptedPartSize));
    expect(response.headers.get('x-ms-meta-hash')).toBe(part.encryptedPartHash);
    expect([encrypted.length, sha256(encrypted)]).toEqual([part.encryptedPartSize, part.encryptedPartHash]);
    expect(part.encryptedPartSize).toBe((Math.floor(part.partSize / 16) + 1) * 16);
    const decipher = createDecipheriv('aes-256-cbc', key, vector);
    const bytes = Buffer.concat([decipher.update(encrypted), decipher.final()]);
    expect([bytes.length, sha256(bytes)]).toEqual([part.partSize, part.partHash]);
    plain.push(bytes);
  }
  const archive = Buffer.concat(plain);
  expect(archive.length).toBe(status.package?.size);
  return archive;
}

export interface UnpackedExport {
  archive: Buffer;
  /** Everything but `_metadata.json`, in the order of the archive. */
  documents: Map<string, Buffer>;
  metadata: Metadata[];
}

/** Downloads and unpacks; documents must be those that the metadata names, in its order, byte by byte by their hashes. */
export async function openPackage(status: ExportStatus, started: StartedExport): Promise<UnpackedExport> {
  const archive = await downloadPackage(status, started);
  const isGzip = archive[0] === 0x1f && archive[1] === 0x8b;
  const files = isGzip ? await untar(archive) : await unzip(archive);
  const { invoices } = JSON.parse(String(files.get('_metadata.json'))) as { invoices: Metadata[] };
  files.delete('_metadata.json');
  expect(status.package?.invoiceCount).toBe(invoices.length);
  if (files.size > 0) {
    expect([...files.keys()]).toEqual(invoices.map((i) => `${i.svcNumber}.xml`));
    expect([...files.values()].map(sha256)).toEqual(invoices.map((i) => i.invoiceHash));
  }
  return { archive, documents: files, metadata: invoices };
}

async function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  const zip = await yauzl.fromBufferPromise(archive);
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  }
  return files;
}

async function untar(archive: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for await (const entry of Readable.from([archive]).pipe(createGunzip()).pipe(tar.extract())) {
    files.set(entry.header.name, await buffer(entry));
  }
  return files;
}

const PERSON = {
  subjectDetailsType: 'PersonByIdentifier' as const,
  personById: { firstName: 'Anna', lastName: 'Nowak' },
};

/** Someone who reads invoices of a unit: the owner appoints an administrator, who lets her. */
export async function logInUnit(service: TestService, owner: Actor, internalId: string): Promise<Actor> {
  const context = { type: 'InternalId' as const, value: internalId };
  const validFrom = service.clock.now() - 3_600_000;
  const certificate = personCertificate({ givenName: 'Anna', surname: 'Nowak', pesel: '44051401359' }, { validFrom });
  const subjectIdentifier = { type: 'Pesel' as const, value: '44051401359' };
  await owner.transport.call(permissions.grantSubunitAdministration, {
    token: owner.token,
    body: {
      subjectIdentifier,
      contextIdentifier: context,
      description: 'administrator of a unit',
      subunitName: 'Northern branch',
      subjectDetails: PERSON,
    },
  });
  await service.drain();
  const administrator = await logIn(service, '', { context, certificate });
  await administrator.transport.call(permissions.grantPersonPermissions, {
    token: administrator.token,
    body: {
      subjectIdentifier,
      permissions: ['InvoiceRead'],
      description: 'reads invoices of the unit',
      subjectDetails: PERSON,
    },
  });
  await service.drain();
  return logIn(service, '', { context, certificate });
}

/** The administrator of an EU entity that bills for the owner. */
export async function logInEuEntity(service: TestService, owner: Actor, nipVatUe: string): Promise<Actor> {
  const validFrom = service.clock.now() - 3_600_000;
  const certificate = fingerprintCertificate({ givenName: 'Hans', surname: 'Muster' }, { validFrom });
  const value = createHash('sha256').update(certificate.certificate).digest('hex').toUpperCase();
  const context = { type: 'NipVatUe' as const, value: nipVatUe };
  const details = { fullName: 'Muster GmbH', address: 'Hauptstr. 1, Berlin' };
  await owner.transport.call(permissions.grantEuAdministration, {
    token: owner.token,
    body: {
      subjectIdentifier: { type: 'Fingerprint', value },
      contextIdentifier: context,
      description: 'self-billing partner',
      euEntityName: 'Muster GmbH, Berlin',
      subjectDetails: { subjectDetailsType: 'EntityByFingerprint', entityByFp: details },
      euEntityDetails: details,
    },
  });
  await service.drain();
  return logIn(service, '', { context, certificate, by: 'certificateFingerprint' });
}
