import { describe, expect, it } from 'vitest';
import { correctionRefusal, correctionShapeRefusal, invoicingMode } from './offline.ts';

describe('mode', () => {
  it.each([
    ['today', false, '2026-02-02', '2026-02-02T12:00:00Z', 'Online'],
    ['today, declared', true, '2026-02-02', '2026-02-02T12:00:00Z', 'Offline'],
    ['yesterday', false, '2026-02-01', '2026-02-02T12:00:00Z', 'Offline'],
    ['half past midnight in Warsaw, new day', false, '2026-02-02', '2026-02-01T23:30:00Z', 'Online'],
    ['half past midnight in Warsaw, old day', false, '2026-02-01', '2026-02-01T23:30:00Z', 'Offline'],
    ['batch opened at the last second of the day', false, '2025-10-03', '2025-10-03T21:59:59Z', 'Online'],
    ['sent one second after midnight', false, '2025-10-03', '2025-10-03T22:00:01Z', 'Offline'],
  ])('%s', (_, offlineMode, issueDate, sent, expected) => {
    expect(invoicingMode({ offlineMode, issueDate, invoicingDate: Date.parse(sent) })).toBe(expected);
  });
});

describe('technical correction', () => {
  const code = (originalStatuses: number[], isCorrected = false) =>
    correctionRefusal({ originalStatuses, isCorrected })?.problems[0]?.code;

  it.each([
    ['unknown hash', [], false, undefined],
    ...[405, 415, 430, 435, 440, 450, 500, 550].map((s) => [`rejected with ${s}`, [s], false, undefined] as const),
    ['accepted', [200], false, 21167],
    ['accepted on a second try', [450, 200], false, 21167],
    ['already corrected', [450], true, 21166],
    ['unknown hash, already corrected', [], true, 21166],
    ['accepted and corrected', [200], true, 21167],
    ['lack of rights', [410], false, 21167],
    ['waiting', [100], false, 21167],
    ['running', [150], false, 21167],
    ['lack of rights once, technical once', [410, 450], false, undefined],
  ] as [string, number[], boolean, number | undefined][])('%s', (_, statuses, isCorrected, expected) => {
    expect(code(statuses, isCorrected)).toBe(expected);
  });

  it('is for offline invoices', () => {
    const hashOfCorrectedInvoice = Buffer.alloc(32).toString('base64');
    expect(correctionShapeRefusal({ offlineMode: true, hashOfCorrectedInvoice })).toBeUndefined();
    expect(correctionShapeRefusal({ offlineMode: false })).toBeUndefined();
    expect(correctionShapeRefusal({ offlineMode: false, hashOfCorrectedInvoice })?.problems).toMatchObject([
      { code: 21405, details: [{ values: { 0: 'HashOfCorrectedInvoice can only be provided for offline invoices' } }] },
    ]);
  });
});
