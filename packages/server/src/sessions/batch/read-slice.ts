/**
 * Work for a thread: reads a package in slices. The thread keeps its place between slices, so that reading goes on without starting
 * anew; a thread that knows nothing of a package (the one before died) opens it and moves to the place asked for.
 */
import { createReadStream } from 'node:fs';
import {
  type ArchiveEntry,
  type ArchiveLimits,
  ArchiveRefused,
  type ReadOptions,
} from '../../platform/archive/archive.ts';
import { readTarGz } from '../../platform/archive/read-targz.ts';
import { openZip } from '../../platform/archive/read-zip.ts';
import { type HandBack, handBack } from '../../platform/workers/hand-back.ts';
import type { Compression } from './rules.ts';

export interface SliceRequest {
  path: string;
  compression: Compression;
  limits: ArchiveLimits;
  /** Files before this slice. */
  from: number;
  /** A slice ends when it holds so many files or unpacked bytes. */
  most: { files: number; bytes: number };
  /** Hand out the files, or only look whether all is well. */
  contents: boolean;
}

export interface PackedFile {
  name: string;
  size: number;
  sha256: Uint8Array;
  /** Missing when the file is too long for an invoice. */
  content: Uint8Array | undefined;
}

export type Slice =
  | { refused: string; reason: string }
  | {
      refused?: undefined;
      /** Number of files in this slice. */
      count: number;
      isLast: boolean;
      files: PackedFile[];
      /** Files of the whole package, where the format tells before they are read. */
      listed: number | undefined;
    };

interface Place {
  position: number;
  listed: number | undefined;
  entries: AsyncGenerator<ArchiveEntry>;
  close(): Promise<void>;
}

const places = new Map<string, Place>();

export async function readSlice(request: SliceRequest): Promise<Slice | HandBack<Slice>> {
  const key = `${request.path} ${request.contents}`;
  try {
    const place = await placeAt(key, request);
    const files: PackedFile[] = [];
    let count = 0;
    let bytes = 0;
    let isLast = false;
    while (count < request.most.files && bytes < request.most.bytes) {
      const next = await place.entries.next();
      if (next.done) {
        isLast = true;
        break;
      }
      place.position += 1;
      count += 1;
      bytes += next.value.size;
      if (request.contents) files.push(handedOut(next.value));
    }
    if (isLast) await leave(key);
    const transfer = files.flatMap((file) => (file.content ? [file.content.buffer as ArrayBuffer] : []));
    return handBack({ count, isLast, files, listed: place.listed }, { transfer });
  } catch (error) {
    await leave(key);
    if (error instanceof ArchiveRefused) return { refused: error.message, reason: error.reason };
    throw error;
  }
}

/** Forgets a package that is not read to its end. */
export async function leavePackage(request: { path: string }): Promise<void> {
  await leave(`${request.path} true`);
  await leave(`${request.path} false`);
}

async function placeAt(key: string, request: SliceRequest): Promise<Place> {
  const known = places.get(key);
  if (known?.position === request.from) return known;
  await leave(key);
  const place = await openPackage(request);
  places.set(key, place);
  while (place.position < request.from && !(await place.entries.next()).done) place.position += 1;
  return place;
}

async function openPackage({ path, compression, limits }: SliceRequest): Promise<Place> {
  const options: ReadOptions = { limits, rules: { duplicates: 'allow', backslash: 'slash' } };
  if (compression === 'Zip') {
    const archive = await openZip(path, options);
    return { position: 0, listed: archive.files, entries: archive.entries(), close: () => archive.close() };
  }
  const packed = createReadStream(path, { highWaterMark: 256 * 1024 });
  return {
    position: 0,
    listed: undefined,
    entries: readTarGz(packed as AsyncIterable<Buffer>, options),
    close: async () => void packed.destroy(),
  };
}

async function leave(key: string): Promise<void> {
  const place = places.get(key);
  places.delete(key);
  if (!place) return;
  await place.entries.return(undefined);
  await place.close();
}

/** A buffer of its own for each content, so that its memory can move to the main thread. */
function handedOut({ name, size, sha256, content }: ArchiveEntry): PackedFile {
  if (content === undefined) return { name, size, sha256, content };
  const isAlone = content.byteOffset === 0 && content.byteLength === content.buffer.byteLength;
  return { name, size, sha256, content: isAlone ? content : new Uint8Array(content) };
}
