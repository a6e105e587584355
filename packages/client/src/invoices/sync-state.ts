import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { INVOICE_SUBJECT_TYPES, type InvoiceSubjectType } from '@kwit/contract/enumerations';
import type { Context } from '../auth.ts';
import { writeWhole } from './sync-folder.ts';

/** How far a folder is: for each role the moment from which the next window begins. */
export interface SyncState {
  position(subjectType: InvoiceSubjectType): string | undefined;
  /** Everything before this moment is in the folder. */
  advance(subjectType: InvoiceSubjectType, position: string): Promise<void>;
}

interface Saved {
  version: 1;
  context: Context;
  positions: Partial<Record<InvoiceSubjectType, string>>;
}

const STATE_FILE = 'kwit-sync.json';

/** Opens the state of a folder. One that belongs to another context is refused: its positions would hide invoices. */
export async function openSyncState(folder: string, context: Context): Promise<SyncState> {
  const path = join(folder, STATE_FILE);
  const saved = (await load(path)) ?? { version: 1, context, positions: {} };
  if (saved.context.type !== context.type || saved.context.value !== context.value) {
    const [theirs, ours] = [saved.context, context].map(({ type, value }) => `${type} ${value}`);
    throw new Error(`The folder ${folder} holds invoices of ${theirs}, not of ${ours}. Take another folder.`);
  }
  return {
    position: (subjectType) => saved.positions[subjectType],
    async advance(subjectType, position) {
      saved.positions[subjectType] = position;
      await writeWhole(`${path}.new`, Buffer.from(`${JSON.stringify(saved, undefined, 2)}\n`));
      await rename(`${path}.new`, path);
    },
  };
}

async function load(path: string): Promise<Saved | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const saved = parse(text);
  const positions = Object.entries(saved?.positions ?? {});
  const isGood =
    saved?.version === 1 &&
    typeof saved.context?.value === 'string' &&
    positions.every(([role, at]) => (INVOICE_SUBJECT_TYPES as readonly string[]).includes(role) && Date.parse(at) > 0);
  if (!isGood) throw new Error(`${path} cannot be read. Delete it to begin anew; invoices that are there stay.`);
  return saved as Saved;
}

function parse(text: string): Partial<Saved> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
