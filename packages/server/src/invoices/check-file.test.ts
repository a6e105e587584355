import { sampleInvoice } from '@kwit/client/sample-invoices';
import { describe, expect, it } from 'vitest';
import { type CheckOptions, checkDocument } from './check-file.ts';

const options: CheckOptions = { environment: 'TEST', now: Date.parse('2026-02-02T12:00:00Z'), name: 'a.xml' };
const check = (document: string, more: Partial<CheckOptions> = {}) =>
  checkDocument(Buffer.from(document), { ...options, ...more });

it.each(['FA (2)', 'FA (3)', 'PEF (3)', 'PEF_KOR (3)'] as const)('finds out that a document is %s', (form) => {
  expect(check(sampleInvoice({ form }))).toMatchObject({ passed: true, form, metadata: { form } });
});

it('prints what it read and what it could not see', () => {
  const lines = check(sampleInvoice()).text.split('\n');
  expect(lines[0]).toMatch(/^a\.xml: passed \(FA \(3\), TEST, \d+ bytes\)$/);
  expect(lines).toContain('  number   FV/1/2026 (Vat, issued 2026-02-02)');
  expect(lines).toContain('  amounts  net 100.00 PLN, VAT 23.00 PLN, gross 123.00 PLN');
  expect(lines.at(-1)).toBe('  note: Not checked here: duplicates and the right to issue for the seller.');
});

describe('refused', () => {
  it.each([
    ['an unknown root', '<a/>', 450],
    ['no XML', 'hello', 450],
    ['a DOCTYPE', '<!DOCTYPE a [<!ENTITY a "b">]><a>&a;</a>', 450],
    ['a mark', `\uFEFF${sampleInvoice()}`, 430],
    ['nothing', '', 430],
    ['a date of tomorrow', sampleInvoice({ issueDate: '2026-02-03' }), 450],
    ['a form that was not asked for', sampleInvoice({ form: 'FA (2)' }), 450],
  ])('%s', (_, document, code) => {
    const report = check(document, { form: 'FA (3)' });
    expect(report).toMatchObject({ passed: false, refusal: { code } });
    expect(report.text).toContain(`refused with ${code} `);
    expect(check(document.replace('FA (2)', 'FA (3)'))).toMatchObject({ passed: false, refusal: { code } });
  });

  it('with every detail', () => {
    const text = check(
      sampleInvoice({ currency: 'pln', lines: [{ name: 'x', price: 1, rate: 'zw' }] }).replace('>zw<', '>xx<'),
    ).text;
    expect(text).toMatch(/\n {2}- \/Faktura\/Fa\/KodWaluty [\s\S]*\n {2}- \/Faktura\/Fa\/FaWiersz\/P_12 /);
  });
});

it('notes attachments, offline dates and forms that an environment does not take', () => {
  expect(check(sampleInvoice({ attachment: true })).notes[0]).toMatch(/seller 1111111111 needs a consent.*batch/);
  expect(check(sampleInvoice({ issueDate: '2026-02-01' })).notes[0]).toMatch(/offline/);
  expect(check(sampleInvoice({ form: 'FA (2)' }), { environment: 'PRD' }).notes[0]).toBe(
    'PRD takes no sessions of FA (2).',
  );
});
