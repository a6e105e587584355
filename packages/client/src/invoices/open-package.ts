import { createHash } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInvoiceNumber } from '@kwit/contract/invoice-number';
import { fromWire } from '@kwit/contract/names';
import type { Transport } from '../transport.ts';
import { downloadPackage } from './download-package.ts';
import { checkDigest, IntegrityError } from './integrity.ts';
import type { InvoiceMetadata } from './list-metadata.ts';
import { readTarGz } from './read-targz.ts';
import { readZip } from './read-zip.ts';
import type { ExportPackage, StartedExport } from './start-export.ts';

export interface PackageOptions {
  /** Takes each document as it is unpacked. It is verified only when all have come: keep it aside until then. */
  onDocument?(svcNumber: string, content: Buffer): Promise<void> | void;
  onBytes?(done: number, of: number): void;
  /** Where the package lies while it is read; default: the system's temporary folder. */
  temporaryFolder?: string;
}

const METADATA = '_metadata.json';

/**
 * Downloads, decrypts, joins and unpacks a package, and verifies it: every part by its hashes, the number of invoices, and every document
 * by the hash in its metadata. Returns the metadata in the order of the package. Memory stays at one document.
 */
export async function openPackage(
  transport: Transport,
  started: StartedExport,
  ready: ExportPackage,
  options: PackageOptions = {},
): Promise<InvoiceMetadata[]> {
  if (ready.parts.length === 0) return [];
  const folder = await mkdtemp(join(options.temporaryFolder ?? tmpdir(), 'kwit-export-'));
  try {
    const path = join(folder, 'package');
    await downloadPackage(transport, started, ready, path, options.onBytes);
    const digests = new Map<string, { hash: string; size: number }>();
    let invoices: InvoiceMetadata[] | undefined;
    for await (const { name, content } of (await isGzip(path)) ? readTarGz(path) : readZip(path)) {
      if (name === METADATA) {
        invoices = readRecords(content);
        continue;
      }
      const svcNumber = name.replace(/\.xml$/, '');
      if (svcNumber === name || !isInvoiceNumber(svcNumber) || digests.has(svcNumber)) {
        throw new IntegrityError(`The package holds a file that does not belong there: ${JSON.stringify(name)}`);
      }
      digests.set(svcNumber, { hash: createHash('sha256').update(content).digest('base64'), size: content.length });
      await options.onDocument?.(svcNumber, content);
    }
    if (!invoices) throw new IntegrityError(`The package has no ${METADATA}`);
    verify(ready, invoices, digests);
    return invoices;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

function readRecords(content: Buffer): InvoiceMetadata[] {
  const { invoices } = fromWire(JSON.parse(content.toString('utf8'))) as { invoices?: InvoiceMetadata[] };
  if (!Array.isArray(invoices)) throw new IntegrityError(`${METADATA} lists no invoices`);
  return invoices;
}

/** Either no documents at all (metadata only), or exactly those that the metadata names. */
function verify(
  ready: ExportPackage,
  invoices: readonly InvoiceMetadata[],
  digests: ReadonlyMap<string, { hash: string; size: number }>,
): void {
  if (invoices.length !== ready.invoiceCount) {
    throw new IntegrityError(`The package lists ${invoices.length} invoices; ${ready.invoiceCount} were announced`);
  }
  if (digests.size === 0) return;
  if (digests.size !== invoices.length) {
    throw new IntegrityError(`The package holds ${digests.size} documents and lists ${invoices.length}`);
  }
  for (const { svcNumber, invoiceHash } of invoices) {
    const found = digests.get(svcNumber);
    if (!found) throw new IntegrityError(`The package lists ${svcNumber} and does not hold it`);
    checkDigest(`The invoice ${svcNumber}`, found, { hash: invoiceHash });
  }
}
