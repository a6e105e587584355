import { createDecipheriv, publicEncrypt, randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Input, Output } from '@kwit/contract/endpoint';
import { NAMES } from '@kwit/contract/names';
import { createReferenceNumbers } from '@kwit/contract/reference-number';
import type * as endpoints from '@kwit/contract/retrieval-endpoints';
import yauzl from 'yauzl';
import { buildExport } from '../../src/exports/build-export.ts';
import type { ExportDeps } from '../../src/exports/deps.ts';
import { startExport } from '../../src/exports/start-export.ts';
import { findExport, listParts } from '../../src/exports/store.ts';
import { queryMetadata } from '../../src/invoices/query-metadata.ts';
import { createSequencer, type Sequencer } from '../../src/invoices/sequencer.ts';
import { createFolderStore } from '../../src/platform/blobs/folder-store.ts';
import type { Caller } from '../../src/platform/caller.ts';
import { ManualClock, systemClock } from '../../src/platform/clock.ts';
import { type OpenDatabase, openDatabase } from '../../src/platform/db/connect.ts';
import { createJobs } from '../../src/platform/jobs/create-jobs.ts';
import { loadMasterKey } from '../../src/platform/keys/load-master-key.ts';
import { openKeyRing } from '../../src/platform/keys/open-key-ring.ts';
import { createLog } from '../../src/platform/log.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { signedLinks } from '../../src/platform/signed/link.ts';

export type Range = Input<typeof endpoints.startExport, 'body'>['filters']['dateRange'];
export type SubjectType = Input<typeof endpoints.startExport, 'body'>['filters']['subjectType'];
export type Page = Output<typeof endpoints.queryMetadata>;

/** What an export brought: numbers, and where to go on from. */
export interface Exported {
  numbers: string[];
  next: string;
}

/** A node: its own connections, its own clock, and the real operations of the service behind what would be its HTTP. */
export interface Node {
  clock: ManualClock;
  database: OpenDatabase;
  /** For transactions that stay open. */
  writing: OpenDatabase;
  sequencer: Sequencer;
  query(nip: string, subjectType: SubjectType, dateRange: Range, pageOffset: number): Promise<Page>;
  export(nip: string, subjectType: SubjectType, dateRange: Range): Promise<Exported>;
}

export interface Nodes {
  nodes: Node[];
  close(): Promise<void>;
}

/** Several nodes on one database and one folder of blobs, whose clocks do not agree. */
export async function startNodes(databaseUrl: string, count: number, start: number): Promise<Nodes> {
  const folder = mkdtempSync(join(tmpdir(), 'kwit-mark-'));
  const log = createLog({ level: 'error' });
  const shared = openDatabase(databaseUrl, { poolSize: 2, log });
  const masterKey = loadMasterKey({ configured: '', dataFolder: folder, random: systemRandom });
  // Keys are not what this is about: theirs is one clock.
  const authorityName = NAMES.svc.certificateIssuer;
  const keys = await openKeyRing({
    database: shared,
    masterKey,
    clock: systemClock,
    random: systemRandom,
    log,
    authorityName,
  });
  const blobs = await createFolderStore({ folder: join(folder, 'blobs') });
  const nodes = Array.from({ length: count }, (_, index) => {
    const clock = new ManualClock(start + index * 1_500);
    const database = openDatabase(databaseUrl, { poolSize: 6, log });
    const sequencer = createSequencer({ database, clock });
    const { jobs } = createJobs({ database, clock, random: systemRandom, log, nodeId: `node-${index}` });
    const references = createReferenceNumbers({ now: () => clock.now(), bytes: (n) => systemRandom.bytes(n) });
    const exporting: ExportDeps = {
      ...{ database, clock, jobs, references, sequencer, keys, masterKey, blobs, links: signedLinks(keys) },
      ...{ name: 'svc', packageLife: 86_400_000, maxPartBytes: 1_000 },
    };
    const writing = openDatabase(databaseUrl, { poolSize: 20, log });
    return { ...nodeOf(exporting), clock, database, writing, sequencer };
  });
  return {
    nodes,
    async close() {
      for (const { database, writing } of nodes) await Promise.all([database.close(), writing.close()]);
      await keys.close();
      await shared.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function nodeOf(deps: ExportDeps): Pick<Node, 'query' | 'export'> {
  const { database } = deps;
  return {
    query: (nip, subjectType, dateRange, pageOffset) =>
      queryMetadata(deps, callerOf(nip), { pageOffset, pageSize: 10 }, { subjectType, dateRange }),
    async export(nip, subjectType, dateRange) {
      const key = randomBytes(32);
      const vector = randomBytes(16);
      const { referenceNumber } = await startExport(deps, callerOf(nip), {
        encryption: { encryptedSymmetricKey: wrap(deps, key), initializationVector: vector.toString('base64') },
        onlyMetadata: true,
        filters: { subjectType, dateRange },
      });
      const job = { payload: { reference: referenceNumber }, attempt: 1 };
      await buildExport(deps, job, new AbortController().signal);
      const built = await findExport(database, referenceNumber);
      if (!built?.package) throw new Error(`the export ended with ${built?.status} ${built?.details}`);
      const plain: Buffer[] = [];
      for (const { blob } of await listParts(database, referenceNumber)) {
        const decipher = createDecipheriv('aes-256-cbc', key, vector);
        plain.push(decipher.update(await buffer(await deps.blobs.get(blob))), decipher.final());
      }
      const { lastPermanentStorageDate, permanentStorageHwmDate, isTruncated } = built.package;
      const next = isTruncated ? lastPermanentStorageDate : permanentStorageHwmDate;
      return { numbers: plain.length === 0 ? [] : await numbersIn(Buffer.concat(plain)), next: next ?? '' };
    },
  };
}

function callerOf(nip: string): Caller {
  const identifier = { type: 'Nip' as const, value: nip };
  const permissions = ['InvoiceRead'];
  return {
    kind: 'ContextToken',
    operation: 'x',
    method: 'Token',
    context: identifier,
    subject: identifier,
    permissions,
  };
}

function wrap({ keys }: ExportDeps, key: Buffer): string {
  const published = keys.published().find(({ purpose }) => purpose === 'SymmetricKeyEncryption');
  const { publicKey } = new X509Certificate(published?.certificate ?? '');
  return publicEncrypt({ key: publicKey, oaepHash: 'sha256' }, key).toString('base64');
}

async function numbersIn(archive: Buffer): Promise<string[]> {
  const zip = await yauzl.fromBufferPromise(archive);
  for await (const entry of zip.eachEntry()) {
    const text = String(await buffer(await zip.openReadStreamPromise(entry)));
    return JSON.parse(text).invoices.map((i: { svcNumber: string }) => i.svcNumber);
  }
  return [];
}
