import { sampleInvoice } from '@kwit/client/sample-invoices';
import { expect, it } from 'vitest';
import { verifyDocument } from './verify-document.ts';

/** Size of the engine's memory: it only ever grows, so a leak of any kind of document shows in it. */
function residentBytes(): number {
  return process.memoryUsage().external + process.memoryUsage().arrayBuffers;
}

it('5,000 verifications, good, invalid and malformed, keep the memory flat', () => {
  const good = sampleInvoice({ bytes: 5_000 });
  const kinds = [
    good,
    good,
    good.replace('>PLN<', '>pln<'),
    good.slice(0, 4_000),
    `<!DOCTYPE a>${good}`,
    good.replace('<Fa>', '<Fa><?x?>'),
  ];
  const files = kinds.map((text) => Buffer.from(text));
  const now = Date.parse('2026-05-01T10:00:00Z');
  const run = (times: number) => {
    for (let i = 0; i < times; i++) {
      const bytes = files[i % files.length]!;
      verifyDocument({ bytes, form: 'FA (3)', environment: 'TEST', now, invoicingDate: now });
    }
  };
  run(600);
  const before = residentBytes();
  run(5_000);
  // One leaked tree of 5 KB is some 60 KB in the engine: a leak of one kind in six would add about 50 MB.
  expect(residentBytes() - before).toBeLessThan(8_000_000);
}, 60_000);
