import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import yauzl from 'yauzl';
import { testDatabase } from '../../test/support/database.ts';
import { fillRegister } from '../../test/support/fill-register.ts';
import { sql } from '../platform/db/sql.ts';
import { packageArchive } from './package-archive.ts';

const database = await testDatabase();
const seller = { sellerNip: '5265877635', buyerNip: '1234563218', from: Date.UTC(2026, 10, 16) };
await fillRegister(database, { ...seller, count: 200, series: 'A', noiseBytes: 64_000 });
await database.execute(sql`update invoice set stored_us = id`);
const matches = await database.query<{ id: string; number: string; bytes: number }>(
  sql`select id::text, number, octet_length(document) as bytes from invoice order by id`,
);

async function built(compression: 'Zip' | 'TarGz', maxCompressedBytes: number) {
  let written = 0;
  const plan = { matches, onlyMetadata: false, compression, modified: 0, name: 'svc' as const, maxCompressedBytes };
  const { archive, included } = packageArchive(database, { ...plan, written: () => written });
  archive.on('data', (chunk: Buffer) => {
    written += chunk.length;
  });
  const bytes = await buffer(archive);
  return { bytes, included: included() };
}

test.each(['Zip', 'TarGz'] as const)('%s ends before its documents take more than the limit', async (compression) => {
  const limit = 4_000_000;
  const { bytes, included } = await built(compression, limit);
  expect(included).toBeGreaterThan(80);
  expect(included).toBeLessThan(200);
  expect(bytes.length).toBeLessThan(limit + 20_000);
  expect((await built(compression, 50_000_000)).included).toBe(200);
  // A document that is larger than the limit alone is handed out all the same, or nobody could ever go on from there.
  expect((await built(compression, 1_000)).included).toBe(1);
});

test('the metadata names exactly the documents inside', async () => {
  const { bytes, included } = await built('Zip', 4_000_000);
  const zip = await yauzl.fromBufferPromise(bytes);
  const names: string[] = [];
  let listed: string[] = [];
  for await (const entry of zip.eachEntry()) {
    names.push(entry.fileName);
    if (entry.fileName !== '_metadata.json') continue;
    const text = String(await buffer(await zip.openReadStreamPromise(entry)));
    listed = JSON.parse(text).invoices.map((i: { svcNumber: string }) => i.svcNumber);
  }
  expect(listed).toEqual(matches.slice(0, included).map((m) => m.number));
  expect(names).toEqual([...listed.map((number) => `${number}.xml`), '_metadata.json']);
});
