import { beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../test/support/database.ts';
import { changeMasterKey } from './change-master-key.ts';
import { ManualClock } from './platform/clock.ts';
import { openDatabase } from './platform/db/connect.ts';
import { json, sql } from './platform/db/sql.ts';
import { type MasterKey, masterKeyFrom } from './platform/keys/master-key.ts';
import { openKeyRing } from './platform/keys/open-key-ring.ts';
import { rewrapKeys } from './platform/keys/rewrap-keys.ts';
import { rotateKey } from './platform/keys/rotate-key.ts';
import { readKeys } from './platform/keys/store.ts';
import { withdrawKey } from './platform/keys/withdraw-key.ts';
import { silentLog } from './platform/log-sink.ts';
import { systemRandom as random } from './platform/random.ts';
import { openContentKey, sealContentKey } from './sessions/content-key.ts';

const clock = new ManualClock('2026-03-01T12:00:00Z');
const [from, to] = [1, 2].map((fill) => masterKeyFrom(Buffer.alloc(32, fill), `key ${fill}`, random)) as [
  MasterKey,
  MasterKey,
];
const KEY = Buffer.alloc(32, 7);
let database: TestDatabase;

const ring = (masterKey: MasterKey) => openKeyRing({ database, masterKey, clock, random, log: silentLog });

async function addExport(reference: string, sealed: Buffer | null): Promise<void> {
  await database.execute(sql`
    insert into invoice_export (reference, context_type, context_value, subject_type, subject_value, filters, upper_ticks, mark_us,
      only_metadata, compression, content_key, vector, accepted_at)
    values (${reference}, 'Nip', '5265877635', 'Nip', '5265877635', ${json({})}, 0, 0, false, 'Zip', ${sealed},
      ${Buffer.alloc(16)}, ${new Date(clock.now())})`);
}

async function sealedExports(): Promise<Map<string, Buffer | null>> {
  const rows = await database.query<{ reference: string; content_key: Buffer | null }>(
    sql`select reference, content_key from invoice_export`,
  );
  return new Map(rows.map((row) => [row.reference, row.content_key]));
}

beforeEach(async () => {
  database = await testDatabase();
  await (await ring(from)).close();
});

describe('a change of the master key', () => {
  it('moves every key there ever was, so that nothing opens with the old one', async () => {
    const tools = { database, masterKey: from, clock, random };
    await rotateKey(tools, { purpose: 'TokenEncryption', retireOldAfter: 0 });
    await withdrawKey(tools, 'LinkSigning');
    const before = await ring(from);
    const published = before.published();
    await before.close();

    const { rewrapped } = await changeMasterKey(database, { from, to });
    const stored = await readKeys(database);
    expect(rewrapped.keys).toBe(8);
    expect(stored).toHaveLength(8);
    for (const key of stored) {
      expect(key.masterKeyId).toBe(to.id);
      expect(() => from.unwrap(key.wrapped, key)).toThrow();
      expect(to.unwrap(key.wrapped, key).length).toBeGreaterThan(0);
    }
    await expect(ring(from)).rejects.toThrow(to.id);
    const after = await ring(to);
    expect(after.published()).toEqual(published);
    await after.close();
  });

  it('moves content keys of running exports, and leaves alone what the old key does not open', async () => {
    await addExport('a', sealContentKey(from, 'a', KEY));
    await addExport('b', sealContentKey(from, 'another', KEY));
    await addExport('c', null);
    const damaged = (await sealedExports()).get('b');
    expect(await changeMasterKey(database, { from, to })).toMatchObject({ rewrapped: { exports: 1 }, unreadable: 1 });
    const after = await sealedExports();
    expect(openContentKey(to, 'a', after.get('a') as Buffer)).toEqual(KEY);
    expect([after.get('b'), after.get('c')]).toEqual([damaged, null]);
  });

  it('goes through more content keys than one page holds', async () => {
    const references = Array.from({ length: 2_345 }, (_, n) => `e${n}`);
    await Promise.all(references.map((reference) => addExport(reference, sealContentKey(from, reference, KEY))));
    expect(await changeMasterKey(database, { from, to })).toMatchObject({ rewrapped: { exports: 2_345 } });
    for (const [reference, sealed] of await sealedExports()) {
      expect(openContentKey(to, reference, sealed as Buffer)).toEqual(KEY);
    }
  });

  it('is all or nothing', async () => {
    const failing = { name: 'x', rewrap: () => Promise.reject(new Error('the disk is full')) };
    await expect(rewrapKeys(database, { from, to }, [failing])).rejects.toThrow('the disk is full');
    await (await ring(from)).close();
    await expect(ring(to)).rejects.toThrow(from.id);
  });

  it('waits for no node: one that is connected is a reason to refuse', async () => {
    const node = openDatabase(database.url, { poolSize: 1 });
    await node.query(sql`select 1`);
    await expect(changeMasterKey(database, { from, to })).rejects.toThrow('Stop every node');
    await node.close();
    expect((await changeMasterKey(database, { from, to })).already).toBe(false);
  });

  it('keeps a node that starts meanwhile from reading keys of before', async () => {
    let starting: Promise<unknown> | undefined;
    const slow = {
      name: 'x',
      async rewrap() {
        starting = ring(from).then(
          () => 'started',
          (error: Error) => error.message,
        );
        return { rewrapped: 0, unreadable: 0 };
      },
    };
    await rewrapKeys(database, { from, to }, [slow]);
    expect(await starting).toContain(to.id);
  });
});
