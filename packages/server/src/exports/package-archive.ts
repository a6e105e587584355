import type { Readable } from 'node:stream';
import type { ServiceName } from '@kwit/contract/names';
import { toWire } from '@kwit/contract/names';
import { type Match, readDocuments, readMetadata } from '../invoices/read-register.ts';
import { writeTarGz } from '../platform/archive/write-targz.ts';
import { writeZip } from '../platform/archive/write-zip.ts';
import type { Queryable } from '../platform/db/database.ts';

export interface PackagePlan {
  matches: readonly Match[];
  onlyMetadata: boolean;
  compression: 'Zip' | 'TarGz';
  /** Time of the entries. */
  modified: number;
  name: ServiceName;
  maxCompressedBytes: number;
  /** Bytes of the archive that have come out so far. */
  written(): number;
}

export interface PackageArchive {
  archive: Readable;
  /** How many of the matches are inside; final when the archive has ended. */
  included(): number;
}

/** Documents held at once: so many, and so many bytes. */
const AT_ONCE = 50;
const BYTES_AT_ONCE = 8_000_000;
/** Records held at once. */
const RECORDS_AT_ONCE = 200;
/** What may be on its way between a document and the bytes that have come out: buffers of the compressor and the streams. */
const ON_ITS_WAY = 2_000_000;

/** The archive of a package as a stream: documents by number, and what they are. */
export function packageArchive(on: Queryable, plan: PackagePlan): PackageArchive {
  let included = 0;

  async function* documents(): AsyncGenerator<{ name: string; content: Buffer }> {
    let previous = 0;
    for (const group of grouped(plan.matches)) {
      const contents = await readDocuments(on, group);
      for (const [index, { number, bytes }] of group.entries()) {
        // Compressing makes nothing longer, so the limit holds; it may be left unused by the little that is on its way.
        const most = plan.written() + Math.min(ON_ITS_WAY, plan.maxCompressedBytes / 10) + previous + bytes;
        if (included > 0 && most > plan.maxCompressedBytes) return;
        yield { name: `${number}.xml`, content: contents[index] as Buffer };
        included += 1;
        previous = bytes;
      }
    }
  }

  /** `{"invoices":[…]}`, a few records at a time. */
  async function* records(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"invoices":[');
    for (let start = 0; start < included; start += RECORDS_AT_ONCE) {
      const metadata = await readMetadata(on, plan.matches.slice(start, Math.min(start + RECORDS_AT_ONCE, included)));
      const texts = metadata.map((record) => JSON.stringify(toWire(plan.name, record)));
      yield Buffer.from(`${start === 0 ? '' : ','}${texts.join(',')}`);
    }
    yield Buffer.from(']}');
  }

  async function* files<Content>(
    describe: () => Content | Promise<Content>,
  ): AsyncGenerator<{ name: string; content: Buffer | Content }> {
    if (plan.onlyMetadata) included = plan.matches.length;
    else yield* documents();
    // Last, so that it names exactly what is in the package.
    yield { name: '_metadata.json', content: await describe() };
  }

  const { modified } = plan;
  const archive =
    plan.compression === 'Zip'
      ? writeZip(files(records), { modified })
      : // A tar says the size of an entry before its bytes, so the records are read once more to measure them.
        writeTarGz(
          files(async () => ({ size: await lengthOf(records()), stream: records() })),
          { modified },
        );
  return { archive, included: () => included };
}

function* grouped(matches: readonly Match[]): Generator<Match[]> {
  let group: Match[] = [];
  let bytes = 0;
  for (const match of matches) {
    if (group.length > 0 && (group.length === AT_ONCE || bytes + match.bytes > BYTES_AT_ONCE)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(match);
    bytes += match.bytes;
  }
  if (group.length > 0) yield group;
}

async function lengthOf(chunks: AsyncIterable<Buffer>): Promise<number> {
  let length = 0;
  for await (const chunk of chunks) length += chunk.length;
  return length;
}
