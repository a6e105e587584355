import { expect, test } from 'vitest';
import { ManualClock } from '../../platform/clock.ts';
import type { Claimed } from './claim.ts';
import { createIntake, LEASE_MS } from './intake.ts';

const START = Date.parse('2026-11-16T11:00:00Z');

function setUp() {
  const clock = new ManualClock(START);
  const state = { idle: true, woken: 0 };
  const intake = createIntake({
    clock,
    isIdle: () => state.idle,
    wake: () => {
      state.woken += 1;
    },
  });
  return { clock, state, intake };
}

const claimed = (id: string, bytes = 10) => ({ id, content: Buffer.alloc(bytes) }) as Claimed;
const ids = (list: readonly Claimed[]) => list.map(({ id }) => id);
const ALL = { invoices: 100, bytes: 1_000_000 };

test('a taken invoice is written with a lease, as under way or as waiting, and comes out in its order', () => {
  const { intake, state } = setUp();
  expect(intake.reserve(0, 10)).toEqual({ status: 150, attempts: 1, dueAt: START + LEASE_MS });
  state.idle = false;
  expect(intake.reserve(0, 10)?.status).toBe(100);
  intake.give(0, [claimed('1'), claimed('2')]);
  expect(state.woken).toBe(1);
  expect([intake.isEmpty(0), intake.isEmpty(1)]).toEqual([false, true]);
  expect(ids(intake.take(1, ALL))).toEqual([]);
  expect(ids(intake.take(0, ALL))).toEqual(['1', '2']);
  expect(intake.isEmpty(0)).toBe(true);
});

test('room is bounded in number and bytes, and free again when an invoice is taken or given up', () => {
  const { intake } = setUp();
  for (let i = 0; i < 1_000; i += 1) expect(intake.reserve(0, 1)).toBeDefined();
  expect(intake.reserve(0, 1)).toBeUndefined();
  expect(intake.reserve(1, 1)).toBeDefined();
  intake.giveUp(0, [1]);
  expect(intake.reserve(0, 1)).toBeDefined();
  intake.give(0, [claimed('1', 1)]);
  intake.take(0, ALL);
  expect(intake.reserve(0, 20_000_000)).toBeUndefined();
  expect(intake.reserve(0, 10_000_000)).toBeDefined();
  expect(intake.reserve(0, 10_000_000)).toBeUndefined();
});

test('a batch is bounded in number and bytes; one alone is never too large', () => {
  const { intake } = setUp();
  intake.give(0, [claimed('1', 90), claimed('2', 5), claimed('3', 5), claimed('4', 5)]);
  expect(ids(intake.take(0, { invoices: 10, bytes: 50 }))).toEqual(['1']);
  expect(ids(intake.take(0, { invoices: 2, bytes: 50 }))).toEqual(['2', '3']);
});

test('what waited so long that its lease may end under it is left to the database', () => {
  const { intake, clock } = setUp();
  intake.give(0, [claimed('old')]);
  clock.advance(LEASE_MS / 2 + 1);
  intake.give(0, [claimed('new')]);
  expect(ids(intake.take(0, ALL))).toEqual(['new']);
});

test('at the end everything that waits is given back, and nothing more is taken', () => {
  const { intake } = setUp();
  intake.give(0, [claimed('1')]);
  intake.give(1, [claimed('2')]);
  expect(ids(intake.empty())).toEqual(['1', '2']);
  expect(intake.reserve(0, 1)).toBeUndefined();
});
