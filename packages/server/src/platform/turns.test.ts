import { expect, test } from 'vitest';
import { createTurns } from './turns.ts';

const AN_HOUR_MS = 3_600_000;

test('work begins when the work before it has ended, also when that failed', async () => {
  const turns = createTurns(AN_HOUR_MS);
  const said: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = turns(async () => {
    said.push('first begins');
    await first.promise;
    said.push('first fails');
    throw new Error('no');
  });
  const two = turns(async () => said.push('second'));
  const three = turns(async () => said.push('third'));
  await new Promise(setImmediate);
  expect(said).toEqual(['first begins']);
  first.resolve();
  await expect(one).rejects.toThrow('no');
  await Promise.all([two, three]);
  expect(said).toEqual(['first begins', 'first fails', 'second', 'third']);
});

test('nobody waits for ever behind one that is stuck', async () => {
  const turns = createTurns(1);
  const stuck = Promise.withResolvers<string>();
  const first = turns(() => stuck.promise);
  expect(await turns(async () => 'second')).toBe('second');
  expect(await turns(async () => 'third')).toBe('third');
  stuck.resolve('first');
  expect(await first).toBe('first');
});
