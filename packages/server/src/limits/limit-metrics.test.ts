import { getContextLimits } from '@kwit/contract/limit-endpoints';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test/support/database.ts';
import { createMetrics } from '../platform/metrics.ts';
import { addLimitMetrics } from './limit-metrics.ts';
import { callerIn, freshContext, testNode } from './node.fixture.ts';

const metadata = { ...getContextLimits, id: 'invoices.queryMetadata', rateGroup: 'invoiceMetadata' };
const challenge = { ...getContextLimits, id: 'auth.challenge', rateGroup: 'public' };

test('the metrics show how many keys are held, in which mode, and what was refused by group', async () => {
  const node = testNode(await testDatabase(), {});
  const metrics = createMetrics({ process: false });
  addLimitMetrics(metrics, node);
  const value = async (series: string) => {
    const line = (await metrics.text()).split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };

  expect(await value('kwit_limiter_keys')).toBe(0);
  expect(await value('kwit_limiter_mode{mode="node"}')).toBe(1);
  expect(await value('kwit_limiter_mode{mode="shared"}')).toBe(0);
  expect(await value('kwit_limiter_refusals_total{group="invoiceMetadata"}')).toBe(0);

  const [one, other] = [callerIn(freshContext()), callerIn(freshContext())];
  // Eight metadata queries a second are allowed, the limits of a context are asked for first.
  for (let n = 0; n < 11; n += 1) await node.decide(metadata, one, '192.0.2.7');
  await node.decide(metadata, other, '192.0.2.7');
  for (let n = 0; n < 61; n += 1) await node.decide(challenge, undefined, '192.0.2.8');

  expect(await value('kwit_limiter_refusals_total{group="invoiceMetadata"}')).toBe(3);
  expect(await value('kwit_limiter_refusals_total{group="public"}')).toBe(1);
  expect(await value('kwit_limiter_refusals_total{group="invoiceSend"}')).toBe(0);
  expect(await value('kwit_limiter_keys')).toBe(3);
  expect(await value('kwit_limiter_memory_bytes')).toBeGreaterThan(3 * 100);
  expect(await value('kwit_limiter_dropped_keys_total')).toBe(0);
  await node.close();
});

test('a limiter that is switched off says so', async () => {
  const node = testNode(await testDatabase(), { settings: { enabled: false } });
  const metrics = createMetrics({ process: false });
  addLimitMetrics(metrics, node);
  expect(await metrics.text()).toContain('kwit_limiter_mode{mode="off"} 1\n');
  await node.close();
});
