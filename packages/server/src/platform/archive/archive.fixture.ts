import type { ArchiveLimits } from './archive.ts';

export const LIMITS: ArchiveLimits = {
  files: 100,
  nameBytes: 1_024,
  fileBytes: 20_000_000,
  keepBytes: 1_000_000,
  totalBytes: 50_000_000,
  ratio: 200,
  ratioFrom: 1_000_000,
};

/** All values of an asynchronous sequence. */
export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}
