import { createHash } from 'node:crypto';
import { type ArchiveEntry, type ArchiveLimits, ArchiveRefused, type ReadOptions, STRICT_RULES } from './archive.ts';
import { type Budget, createBudget } from './budget.ts';
import { type ByteReader, byteReader } from './byte-reader.ts';
import { checkName, decodeName, nameRegister, printable } from './entry-name.ts';
import { gunzipMember } from './gunzip-member.ts';
import { BLOCK, isZero, parseHeader, parsePax, type TarHeader } from './tar-header.ts';

const PAX_MOST = 64 * 1024;
const SPECIAL: Record<string, string> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
  S: 'a sparse file',
  K: 'a link',
};

/**
 * Reads a tar.gz of unknown intent as a stream: ustar, pax and GNU, files and folders only. Memory stays at one file of `keepBytes`.
 * Every inflated byte counts, skipped ones too. Throws `ArchiveRefused`, perhaps after entries were handed out (see `openZip`).
 */
export async function* readTarGz(packed: AsyncIterable<Buffer>, options: ReadOptions): AsyncGenerator<ArchiveEntry> {
  const { limits } = options;
  const rules = options.rules ?? STRICT_RULES;
  const register = nameRegister(rules);
  let packedBytes = 0;
  const budget = createBudget(limits, () => packedBytes);
  const inflated = counted(
    gunzipMember(
      counted(packed, (bytes) => {
        packedBytes += bytes;
      }),
    ),
    budget.inflated,
  );
  try {
    const reader = byteReader(inflated);
    for (;;) {
      const header = await nextHeader(reader, limits, budget);
      if (header === undefined) break;
      const name = checkName(decodeName(header.name, 'latin2'), rules);
      register(name);
      if (isFolder(header, name)) {
        budget.other();
        continue;
      }
      budget.file();
      yield { name, ...(await readFile(reader, header.size, limits, name)) };
    }
    await expectEnd(reader);
  } finally {
    await inflated.return(undefined);
  }
}

/** The header of the next file or folder, with what the entries before it say about it; undefined at the end marker. */
async function nextHeader(reader: ByteReader, limits: ArchiveLimits, budget: Budget): Promise<TarHeader | undefined> {
  let longName: Buffer | undefined;
  let pax: Map<string, Buffer> | undefined;
  for (;;) {
    const block = await reader.take(BLOCK);
    if (block === undefined) throw new ArchiveRefused('truncated', 'The tar archive has no end.');
    if (isZero(block)) {
      if (longName || pax)
        throw new ArchiveRefused('lying-header', 'The tar archive ends after a header about a next entry.');
      return undefined;
    }
    const header = parseHeader(block);
    if (header.type === 'L' || header.type === 'x') {
      budget.other();
      if (longName || pax) throw new ArchiveRefused('lying-header', 'An entry of the tar archive is described twice.');
      if (header.type === 'L') longName = await readLongName(reader, header, limits);
      else pax = await readPax(reader, header);
    } else if (header.type === 'g') {
      budget.other();
      const keys = [...(await readPax(reader, header)).keys()];
      if (keys.some(isAboutContent)) {
        throw new ArchiveRefused('unsupported', 'A global pax header names files or sizes of all entries.');
      }
    } else return described(header, longName, pax, limits);
  }
}

function described(
  header: TarHeader,
  longName: Buffer | undefined,
  pax: Map<string, Buffer> | undefined,
  limits: ArchiveLimits,
): TarHeader {
  const name = longName ?? pax?.get('path') ?? header.name;
  if (name.length > limits.nameBytes) throw longNameProblem(limits);
  const sparse = [...(pax?.keys() ?? [])].some((key) => key.startsWith('GNU.sparse.'));
  const special = sparse ? SPECIAL.S : pax?.has('linkpath') ? SPECIAL.K : SPECIAL[header.type];
  if (special) throw new ArchiveRefused('not-a-file', `${printable(decodeName(name, 'latin2'))} is ${special}.`);
  if (!['0', '\0', '5', '7'].includes(header.type)) {
    throw new ArchiveRefused(
      'not-a-file',
      `${printable(decodeName(name, 'latin2'))} is of the unknown kind ${printable(header.type)}.`,
    );
  }
  const size = pax?.get('size')?.toString('latin1');
  // Needed only above 8 GB, far over any limit of ours: a second size that differs is there to fool one of two readers.
  if (size !== undefined && size !== String(header.size)) {
    throw new ArchiveRefused('lying-header', 'The pax header of an entry contradicts its size.');
  }
  return { ...header, name };
}

function isAboutContent(key: string): boolean {
  return ['path', 'size', 'linkpath', 'hdrcharset'].includes(key) || key.startsWith('GNU.sparse.');
}

async function readLongName(reader: ByteReader, header: TarHeader, limits: ArchiveLimits): Promise<Buffer> {
  if (header.size > limits.nameBytes + 1) throw longNameProblem(limits);
  const bytes = await takePadded(reader, header.size);
  const zero = bytes.indexOf(0);
  return Buffer.from(zero === -1 ? bytes : bytes.subarray(0, zero));
}

async function readPax(reader: ByteReader, header: TarHeader): Promise<Map<string, Buffer>> {
  if (header.size > PAX_MOST) throw new ArchiveRefused('unsupported', `A pax header is longer than ${PAX_MOST} bytes.`);
  const records = parsePax(Buffer.from(await takePadded(reader, header.size)));
  const charset = records.get('hdrcharset')?.toString('latin1');
  if (charset !== undefined && charset !== 'BINARY' && charset !== 'ISO-IR 10646 2000 UTF-8') {
    throw new ArchiveRefused('unsupported', 'A pax header is written in an unknown character set.');
  }
  return records;
}

async function takePadded(reader: ByteReader, length: number): Promise<Buffer> {
  const whole = await reader.take(padded(length));
  if (whole === undefined) throw new ArchiveRefused('truncated', 'The archive ends too early.');
  return whole.subarray(0, length);
}

async function readFile(
  reader: ByteReader,
  size: number,
  limits: ArchiveLimits,
  name: string,
): Promise<{ size: number; sha256: Buffer; content: Buffer | undefined }> {
  if (size > limits.fileBytes) {
    throw new ArchiveRefused(
      'too-large',
      `${printable(name)} has ${size} bytes, at most ${limits.fileBytes} are allowed.`,
    );
  }
  const content = size <= limits.keepBytes ? Buffer.allocUnsafe(size) : undefined;
  const hash = createHash('sha256');
  let filled = 0;
  await reader.pass(size, (piece) => {
    hash.update(piece);
    if (content) filled += piece.copy(content, filled);
  });
  await reader.pass(padded(size) - size, () => {});
  return { size, sha256: hash.digest(), content };
}

function isFolder(header: TarHeader, name: string): boolean {
  const folder = header.type === '5' || name.endsWith('/');
  if (folder && header.size > 0) throw new ArchiveRefused('not-a-file', `${printable(name)} is a folder with content.`);
  return folder;
}

/** After the first zero block comes a second one, and then only zeros that fill the last record. */
async function expectEnd(reader: ByteReader): Promise<void> {
  const second = await reader.take(BLOCK);
  if (second === undefined) throw new ArchiveRefused('truncated', 'The tar archive has only half of its end.');
  for (let rest: Buffer | undefined = second; rest !== undefined; rest = await reader.any()) {
    if (!isZero(rest)) throw new ArchiveRefused('trailing-data', 'Something follows the end of the tar archive.');
  }
}

async function* counted(chunks: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    count(chunk.length);
    yield chunk;
  }
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

function longNameProblem(limits: ArchiveLimits): ArchiveRefused {
  return new ArchiveRefused('bad-name', `The name of an entry is longer than ${limits.nameBytes} bytes.`);
}
