import {
  type ArchiveEntry,
  type ArchiveLimits,
  ArchiveRefused,
  type ArchiveRules,
  type ReadOptions,
  STRICT_RULES,
} from './archive.ts';
import { createBudget } from './budget.ts';
import { checkName, decodeName, nameRegister, printable } from './entry-name.ts';
import { openFile } from './random-access.ts';
import { readContent } from './zip-content.ts';
import { readDirectory, type ZipDirectory, type ZipRecord } from './zip-directory.ts';
import { DEFLATED, FLAG, STORED } from './zip-format.ts';
import { locate } from './zip-local.ts';

export interface ZipArchive {
  /** Number of files, known before any of them is read. */
  readonly files: number;
  /** The files in the order of the directory, each verified when it is handed out. May be asked for several times, one after another. */
  entries(): AsyncGenerator<ArchiveEntry>;
  close(): Promise<void>;
}

interface Listed {
  name: string;
  record: ZipRecord;
  isFolder: boolean;
}

/**
 * Opens a zip archive of unknown intent. The whole directory is checked first; content is unpacked one file at a time, so memory
 * stays at the directory plus one file of `keepBytes`. Throws `ArchiveRefused`, here or while entries are read: who must know that
 * the whole archive is sound before using any of it reads it twice.
 */
export async function openZip(path: string, options: ReadOptions): Promise<ZipArchive> {
  const { limits } = options;
  const rules = options.rules ?? STRICT_RULES;
  const file = await openFile(path);
  try {
    const directory = await readDirectory(file, limits);
    const ends = entryEnds(directory);
    const listed = list(directory, limits, rules, file.size);
    return {
      files: listed.filter((one) => !one.isFolder).length,
      async *entries() {
        const budget = createBudget(limits, () => file.size);
        for (const { name, record, isFolder } of listed) {
          const start = await locate(file, record, ends.get(record) as number);
          const content = await readContent(file, start, record, limits.keepBytes, budget.inflated);
          if (!isFolder) yield { name, size: record.size, ...content };
        }
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Opens, reads and closes: for a single pass. */
export async function* readZip(path: string, options: ReadOptions): AsyncGenerator<ArchiveEntry> {
  const archive = await openZip(path, options);
  try {
    yield* archive.entries();
  } finally {
    await archive.close();
  }
}

/** Where each entry must end: entries lie one behind the other from the first byte to the directory, none over another. */
function entryEnds({ records, offset }: ZipDirectory): Map<ZipRecord, number> {
  const sorted = [...records].sort((a, b) => a.offset - b.offset);
  const ends = new Map<ZipRecord, number>();
  for (const [index, record] of sorted.entries()) {
    const end = sorted[index + 1]?.offset ?? offset;
    if (record.offset + 30 + record.name.length + record.packedSize > end) {
      throw new ArchiveRefused('overlap', 'Two entries of the archive overlap, or one reaches into the directory.');
    }
    ends.set(record, end);
  }
  if ((sorted[0]?.offset ?? offset) !== 0)
    throw new ArchiveRefused('trailing-data', 'Something stands before the first entry.');
  return ends;
}

/** Everything that can be refused before a byte is unpacked. */
function list(directory: ZipDirectory, limits: ArchiveLimits, rules: ArchiveRules, packedBytes: number): Listed[] {
  const declared = createBudget(limits, () => packedBytes);
  const register = nameRegister(rules);
  return directory.records.map((record) => {
    const name = checkName(decodeName(record.name, (record.flags & FLAG.utf8) === 0 ? 'cp437' : 'refuse'), rules);
    checkKind(record, name);
    const isFolder = isFolderRecord(record, name);
    if (isFolder) declared.other();
    else declared.file();
    register(name);
    if (record.size > limits.fileBytes) {
      throw new ArchiveRefused(
        'too-large',
        `${printable(name)} unpacks to ${record.size} bytes, at most ${limits.fileBytes} are allowed.`,
      );
    }
    declared.inflated(record.size);
    return { name, record, isFolder };
  });
}

const ALLOWED_FLAGS = 0x0002 | 0x0004 | FLAG.descriptor | FLAG.utf8;
const ENCRYPTION_FLAGS = FLAG.encrypted | 0x0040 | 0x2000;
const UNIX = { file: 0x8000, folder: 0x4000 };

function checkKind(record: ZipRecord, name: string): void {
  if ((record.flags & ENCRYPTION_FLAGS) !== 0)
    throw new ArchiveRefused('encrypted', `${printable(name)} is encrypted.`);
  if ((record.flags & ~ALLOWED_FLAGS) !== 0) {
    throw new ArchiveRefused('unsupported', `${printable(name)} uses a feature that is not supported.`);
  }
  if (record.method !== STORED && record.method !== DEFLATED) {
    throw new ArchiveRefused(
      'unsupported',
      `${printable(name)} is packed by method ${record.method}; only 0 (stored) and 8 (deflate) are read.`,
    );
  }
  if (record.method === STORED && record.size !== record.packedSize) {
    throw new ArchiveRefused('lying-header', `${printable(name)} is stored but has two sizes.`);
  }
  if (record.unixType !== 0 && record.unixType !== UNIX.file && record.unixType !== UNIX.folder) {
    throw new ArchiveRefused('not-a-file', `${printable(name)} is a link or a device.`);
  }
}

function isFolderRecord(record: ZipRecord, name: string): boolean {
  const isFolder =
    name.endsWith('/') || record.unixType === UNIX.folder || (record.isDosFolder && record.unixType === 0);
  if (isFolder && record.size > 0)
    throw new ArchiveRefused('not-a-file', `${printable(name)} is a folder with content.`);
  return isFolder;
}
