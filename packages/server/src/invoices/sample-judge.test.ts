/** The samples judged by another build of the schema engine than ours, with the schemas as they lie on disk. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type SampleInvoice, sampleInvoice } from '@kwit/client/sample-invoices';
import type { SystemCode } from '@kwit/contract/invoice-forms';
import { afterAll, describe, expect, it } from 'vitest';
import { FORMS } from './forms.ts';
import { DEFAULT_SCHEMA_FOLDER } from './schemas.ts';

const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'kwit-samples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const REMOTE = 'http://crd.gov.pl/xml/schematy/dziedzinowe/mf/2022/01/05/eD/DefinicjeTypy/StrukturyDanych_v10-0E.xsd';
const catalog = join(folder, 'catalog.xml');
const local = pathToFileURL(join(DEFAULT_SCHEMA_FOLDER, 'FA/bazowe/StrukturyDanych_v10-0E.xsd'));
writeFileSync(
  catalog,
  `<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog"><uri name="${REMOTE}" uri="${local}"/><system systemId="${REMOTE}" uri="${local}"/></catalog>`,
);

function xmllint(document: string, form: SystemCode): string {
  const file = join(folder, 'document.xml');
  writeFileSync(file, document);
  const schema = join(DEFAULT_SCHEMA_FOLDER, FORMS[form].schema);
  const run = spawnSync('xmllint', ['--nonet', '--noout', '--schema', schema, file], {
    env: { ...process.env, XML_CATALOG_FILES: catalog },
  });
  return run.status === 0 ? '' : run.stderr.toString();
}

const corrects = [
  { number: 'a', issueDate: '2026-01-01', serviceNumber: '1111111111-20260202-0100000AB123-7F' },
  { number: 'b', issueDate: '2026-01-02' },
];
const thirdParties = [
  { internalId: '3333333333-00013', name: 'Jednostka', role: 8 },
  { name: 'Inny', role: 'Obserwator' },
];
const samples: [string, SampleInvoice][] = [
  ['plain', {}],
  ['correction', { corrects, lines: [{ name: 'A & B', price: -4000 }] }],
  ['parties', { thirdParties, authorized: { nip: '6666666666', name: 'P', role: 3 }, selfInvoicing: true }],
  ['currency', { currency: 'EUR', exchangeRate: 430 }],
  ['20 KB', { bytes: 20_000 }],
];

describe.skipIf(!hasXmllint)('xmllint', () => {
  describe.each(Object.keys(FORMS) as SystemCode[])('%s', (form) => {
    it.each(samples)('%s', (_, sample) => {
      const document = sampleInvoice({ ...sample, form });
      if (sample.bytes) expect(Buffer.byteLength(document)).toBe(sample.bytes);
      expect(xmllint(document, form)).toBe('');
    });
  });

  it.each(['FA (3)', 'PEF (3)', 'PEF_KOR (3)'] as const)('%s with attachment', (form) => {
    expect(xmllint(sampleInvoice({ form, attachment: true }), form)).toBe('');
  });

  it('all rates and kinds of buyer of FA (3)', () => {
    const rates = ['23', '22', '8', '7', '5', '4', '3', '0 KR', '0 WDT', '0 EX', 'zw', 'oo', 'np I', 'np II'];
    const lines = rates.map((rate) => ({ name: rate, price: 1000, rate }));
    expect(xmllint(sampleInvoice({ lines }), 'FA (3)')).toBe('');
    for (const buyer of [
      { vatUe: ['DE', '123456789'] as const },
      { other: ['US', 'X'] as const },
      { other: [undefined, 'X'] as const },
      {},
    ]) {
      expect(xmllint(sampleInvoice({ buyer }), 'FA (3)')).toBe('');
    }
  });

  it('does find fault', () => {
    expect(xmllint(sampleInvoice({ currency: 'pln' }), 'FA (3)')).not.toBe('');
  });
});
