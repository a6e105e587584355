import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInvoiceNumber } from '@kwit/contract/invoice-number';
import { IntegrityError } from './integrity.ts';
import type { InvoiceMetadata } from './list-metadata.ts';

/**
 * A folder of invoices: `2026/11/<number>.xml` with the document, `.json` beside it with its metadata. A file appears under its name only
 * when it is whole, so whatever is there can be trusted, whenever the program was stopped.
 */
export interface SyncFolder {
  /** Is exactly this invoice there already? */
  has(record: Pick<InvoiceMetadata, 'svcNumber' | 'invoiceHash'>): Promise<boolean>;
  /** Keeps a document aside until its package is verified. */
  putAside(svcNumber: string, content: Buffer): Promise<void>;
  /** Puts a verified document (from aside, or given) in its place. False: it was there. */
  keep(record: InvoiceMetadata, content?: Buffer): Promise<boolean>;
  /** Forgets what was put aside. */
  clearAside(): Promise<void>;
  /** For packages on their way. */
  readonly aside: string;
}

export async function openSyncFolder(root: string): Promise<SyncFolder> {
  const aside = join(root, '.incoming');
  const made = new Set<string>();

  /** By the day on which the number was given, or folders would grow without end. */
  function place(svcNumber: string): string {
    if (!isInvoiceNumber(svcNumber)) throw new IntegrityError(`No invoice number: ${JSON.stringify(svcNumber)}`);
    return join(root, svcNumber.slice(11, 15), svcNumber.slice(15, 17), svcNumber);
  }

  async function has({ svcNumber, invoiceHash }: Pick<InvoiceMetadata, 'svcNumber' | 'invoiceHash'>): Promise<boolean> {
    const content = await readFile(`${place(svcNumber)}.xml`).catch(missing);
    return content !== undefined && createHash('sha256').update(content).digest('base64') === invoiceHash;
  }

  async function clearAside(): Promise<void> {
    await rm(aside, { recursive: true, force: true });
    await mkdir(aside, { recursive: true });
  }

  await clearAside();
  return {
    aside,
    has,
    clearAside,
    putAside: (svcNumber, content) => writeFile(join(aside, `${svcNumber}.xml`), content, { mode: 0o600 }),
    async keep(record, content) {
      const { svcNumber } = record;
      const path = place(svcNumber);
      if (await has(record)) return false;
      if (!made.has(dirname(path))) await mkdir(dirname(path), { recursive: true });
      made.add(dirname(path));
      const waiting = join(aside, svcNumber);
      if (content) await writeFile(`${waiting}.xml`, content, { mode: 0o600 });
      await flush(`${waiting}.xml`);
      await writeWhole(`${waiting}.json`, Buffer.from(`${JSON.stringify(record, undefined, 2)}\n`));
      // The document last: it is what says that the invoice is there.
      await rename(`${waiting}.json`, `${path}.json`);
      await rename(`${waiting}.xml`, `${path}.xml`);
      return true;
    },
  };
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** On the disk before it counts. */
export async function writeWhole(path: string, content: Uint8Array): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
}
