import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openDatabase } from '@kwit/server/platform/db/connect';
import { startEmbedded } from '@kwit/server/platform/db/embedded';
import { rows, sql } from '@kwit/server/platform/db/sql';
import { silentLog } from '@kwit/server/platform/log-sink';
import { createPool } from '@kwit/server/platform/workers/create-pool';
import { judgeContentsTask } from '@kwit/server/sessions/pipeline/tasks';
import { cpuPerPiece, cpuTimes } from './cpu.ts';

/**
 * What no service could do without: decrypt, hash, validate and read each invoice in the same worker threads, and insert the document
 * durably with a unique key, in batches. No HTTP, no states, no register. The limit the service is measured against. The first ones,
 * `warming`, are judged before the clock starts.
 */
export async function barePipeline(
  documents: readonly string[],
  options: { workers: number; batch: number; warming: number },
): Promise<{ perSecond: number; cpuMs: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'kwit-bare-'));
  const embedded = await startEmbedded(folder, { log: silentLog });
  const database = openDatabase(embedded.url, { poolSize: options.workers + 1 });
  const pool = createPool({ size: options.workers, maxWaiting: 10_000 });
  try {
    await database.execute(sql`create table bare (number text primary key, document bytea not null)`);
    await database.execute(sql`alter table bare alter column document set storage external`);
    const key = randomBytes(32);
    const vector = randomBytes(16);
    const contents = documents.map((xml) => {
      const plain = Buffer.from(xml);
      const cipher = createCipheriv('aes-256-cbc', key, vector);
      return {
        bytes: Buffer.concat([cipher.update(plain), cipher.final()]),
        encryption: { key, vector },
        declared: { size: plain.length, hash: createHash('sha256').update(plain).digest('base64') },
        form: 'FA (3)' as const,
        invoicingDate: Date.now(),
        limits: { plain: 1_000_000, withAttachment: 3_000_000 },
      };
    });
    const judge = (part: typeof contents) =>
      pool.run(judgeContentsTask, {
        environment: 'TEST',
        now: Date.now(),
        schemaFolder: resolve('.schemas'),
        contents: part,
      });
    // Threads compile their schemas once; that is not what is measured.
    const each = Math.ceil(options.warming / options.workers);
    await Promise.all(
      Array.from({ length: options.workers }, (_, i) => judge(contents.slice(i * each, (i + 1) * each))),
    );

    let next = options.warming;
    const before = cpuTimes(process.pid);
    const began = performance.now();
    const worker = async () => {
      let writing: Promise<unknown> = Promise.resolve();
      while (next < contents.length) {
        const part = contents.slice(next, next + options.batch);
        next += part.length;
        const judged = await judge(part);
        // The next batch is judged while this one is written.
        await writing;
        writing = database.execute(sql`
          insert into bare (number, document) values ${rows(
            judged.map((j) => {
              if (!j.opened || !j.verdict.ok || !j.document) throw new Error('a document of the bench is not valid');
              return [
                j.verdict.metadata.invoiceNumber,
                Buffer.from(j.document.buffer, j.document.byteOffset, j.document.byteLength),
              ];
            }),
          )}`);
      }
      await writing;
    };
    await Promise.all(Array.from({ length: options.workers + 1 }, worker));
    const count = documents.length - options.warming;
    const perSecond = count / ((performance.now() - began) / 1000);
    // Its main thread is this process: counted once, with all threads.
    const { postgres, load } = cpuPerPiece(before, cpuTimes(process.pid), count);
    return { perSecond, cpuMs: postgres + load };
  } finally {
    await pool.close();
    await database.close();
    await embedded.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
