import { sql } from '../../src/platform/db/sql.ts';
import { seeded } from './chaos.ts';
import { fillRegister } from './fill-register.ts';
import { type Node, startNodes } from './mark-chaos-nodes.ts';
import { createReader, type Manner, type Reader } from './mark-chaos-reader.ts';

export interface MarkChaosOptions {
  databaseUrl: string;
  rounds: number;
  seed: number;
  nodes?: number;
  log?(line: string): void;
}

export interface MarkChaosReport {
  /** Promises that did not hold; empty is good. */
  violations: string[];
  written: number;
  rolledBack: number;
  readers: { name: string; held: number; windows: number; requests: number; crashes: number }[];
}

const SELLER = '5265877635';
const BUYER = '1234563218';
const THIRD = '7762811692';
const START = Date.parse('2026-11-16T11:00:00Z');
const MOST_OPEN = 8;
const MOST_APART = 8 * 60_000;

/** An open transaction of a writer: it has written, and commits when told to. */
interface Writer {
  count: number;
  end(commit: boolean): Promise<void>;
}

/**
 * Holds the promise of the high-water mark against disorder: writers commit (or not) long after they wrote, in any order, on nodes whose
 * clocks disagree and jump, while sequencers pass at any time and readers read windows, crash, and go on. In the end every reader must
 * have every invoice exactly once.
 */
export async function runMarkChaos(options: MarkChaosOptions): Promise<MarkChaosReport> {
  const { rounds, seed, log = () => undefined } = options;
  const random = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const { nodes, close } = await startNodes(options.databaseUrl, options.nodes ?? 2, START);
  const violations: string[] = [];
  const complain = (violation: string) => {
    violations.push(violation);
    log(violation);
  };
  const readers = createReaders(random, complain);
  const writers: Writer[] = [];
  const totals = { written: 0, rolledBack: 0, series: 0 };

  async function openWriter(node: Node): Promise<void> {
    totals.series += 1;
    const writer = await startWriter(node, `W${totals.series}`, 1 + Math.floor(random() * 6));
    writers.push(writer);
  }

  /** As the pipeline enters a batch: dated by its own transaction when nobody else gives dates, and soon over. */
  async function enterDated(node: Node, commit: boolean): Promise<void> {
    totals.series += 1;
    const count = 1 + Math.floor(random() * 6);
    await endWriter(await startWriter(node, `W${totals.series}`, count, { dated: true }), commit);
  }

  async function endWriter(writer: Writer, commit: boolean): Promise<void> {
    await writer.end(commit);
    if (commit) totals.written += writer.count;
    else totals.rolledBack += writer.count;
  }

  let highest = 0;
  /** A mark that anyone has seen is never taken back. */
  async function passAndLook({ sequencer }: Node): Promise<void> {
    await sequencer.pass();
    const seen = highest;
    const mark = await sequencer.current();
    if (mark < seen) complain(`the mark went back from ${seen} to ${mark}`);
    highest = Math.max(highest, mark);
  }

  /** What may happen at any moment; chosen before, run together. */
  function choose(): () => Promise<unknown> {
    const node = pick(nodes);
    const dice = random();
    if (dice < 0.1) {
      const commit = random() < 0.9;
      return () => enterDated(node, commit);
    }
    if (dice < 0.25 && writers.length < MOST_OPEN) return () => openWriter(node);
    if (dice < 0.4 && writers.length > 0) {
      const [writer] = writers.splice(Math.floor(random() * writers.length), 1);
      const commit = random() < 0.9;
      return () => endWriter(writer as Writer, commit);
    }
    if (dice < 0.5) return () => Promise.all([...nodes, ...nodes].map(passAndLook));
    if (dice < 0.6) {
      // Mostly forward by a little, sometimes far, in either direction; pages share their bounds for a quarter of an hour, by any clock.
      const jump = Math.floor(random() < 0.8 ? random() * 3_000 : (random() - 0.45) * 600_000);
      return async () => {
        const others = nodes.map(({ clock }) => clock.now());
        const moment = node.clock.now() + jump;
        if (others.every((other) => Math.abs(moment - other) < MOST_APART)) node.clock.set(moment);
      };
    }
    const reader = pick(readers);
    if (dice < 0.65) return async () => reader.crash();
    return () => reader.step(node);
  }

  try {
    for (let round = 0; round < rounds; round += 1) {
      // A reader asks one thing at a time; two choices of the same one go one after the other.
      const chosen = Array.from({ length: 1 + Math.floor(random() * 6) }, choose);
      await Promise.all(chosen.map((act) => act()));
      if ((round + 1) % 500 === 0)
        log(`round ${round + 1}: ${totals.written} written, ${violations.length} violations`);
    }
    for (const writer of writers.splice(0)) await endWriter(writer, random() < 0.9);
    await settle(nodes, readers);
    await judge(nodes, readers, complain);
  } finally {
    for (const writer of writers) await writer.end(false);
    await close();
  }
  const shown = readers.map(({ name, held, counts }) => ({ name, held: held().length, ...counts }));
  return { violations, written: totals.written, rolledBack: totals.rolledBack, readers: shown };
}

function createReaders(random: () => number, complain: (violation: string) => void): Reader[] {
  const roles = [
    { subjectType: 'Subject1', nip: SELLER },
    { subjectType: 'Subject2', nip: BUYER },
    { subjectType: 'Subject3', nip: THIRD },
  ] as const;
  const manners: readonly Manner[] = ['query', 'export', 'eager'];
  return manners.flatMap((manner) =>
    roles.map((role) => {
      const own = seeded(Math.floor(random() * 2 ** 32));
      const reader = createReader(
        { ...role, name: `${manner} ${role.subjectType}`, manner, start: START - 3_600_000, random: own },
        complain,
      );
      return oneAtATime(reader);
    }),
  );
}

function oneAtATime(reader: Reader): Reader {
  let last: Promise<void> = Promise.resolve();
  return {
    ...reader,
    step(node) {
      last = last.then(() => reader.step(node));
      return last;
    },
  };
}

async function startWriter(node: Node, series: string, count: number, { dated = false } = {}): Promise<Writer> {
  const written = Promise.withResolvers<void>();
  const told = Promise.withResolvers<boolean>();
  const rollback = new Error('rolled back');
  const transaction = node.writing
    .transaction(async (tx) => {
      const from = node.clock.now();
      await fillRegister(tx, {
        sellerNip: SELLER,
        buyerNip: BUYER,
        thirdNip: THIRD,
        count,
        from,
        series,
        // Its last one was accepted that many milliseconds later.
        ...(dated && { datedFrom: from + count }),
      });
      written.resolve();
      if (!(await told.promise)) throw rollback;
    })
    .catch((error) => {
      written.reject(error);
      if (error !== rollback) throw error;
    });
  await written.promise;
  return {
    count,
    async end(commit) {
      told.resolve(commit);
      await transaction;
    },
  };
}

/** All clocks reach a moment after everything, and every reader reads until it has caught up with the mark. */
async function settle(nodes: readonly Node[], readers: readonly Reader[]): Promise<void> {
  const latest = Math.max(...nodes.map(({ clock }) => clock.now()));
  for (const { clock } of nodes) clock.set(latest + 60_000);
  for (const { sequencer } of nodes) await sequencer.pass();
  for (const reader of readers) {
    reader.crash();
    // Windows with an end of their own may be short; enough of them reach the mark.
    for (let quiet = 0, before = reader.held().length; quiet < 40; ) {
      const windows = reader.counts.windows;
      while (reader.counts.windows === windows) await reader.step(nodes[quiet % nodes.length] as Node);
      quiet = reader.held().length === before ? quiet + 1 : 0;
      before = reader.held().length;
    }
  }
}

async function judge(nodes: readonly Node[], readers: readonly Reader[], complain: (violation: string) => void) {
  const [node] = nodes as [Node];
  const rows = await node.database.query<{ number: string; stored_us: string | number | null }>(
    sql`select number, stored_us from invoice order by stored_us`,
  );
  if (rows.some((row) => row.stored_us === null)) complain('an invoice was never stored');
  if (new Set(rows.map((row) => String(row.stored_us))).size < rows.length)
    complain('two invoices share a storage date');
  const all = new Set(rows.map((row) => row.number));
  for (const { name, held } of readers) {
    const numbers = held();
    if (new Set(numbers).size < numbers.length) complain(`${name} holds an invoice twice`);
    const missing = [...all].filter((number) => !numbers.includes(number));
    if (missing.length > 0) complain(`${name} never got ${missing.length} of ${all.size}: ${missing.slice(0, 3)}`);
    if (numbers.some((number) => !all.has(number))) complain(`${name} got an invoice that was never committed`);
  }
}
