import { describe, expect, it } from 'vitest';
import * as enumerations from './enumerations.ts';
import { AUTHENTICATION_METHOD_INFO, AUTHENTICATION_METHODS, TOKEN_PERMISSIONS } from './enumerations.ts';
import {
  CURRENCY_CODES,
  FORM_TYPES,
  findForm,
  INVOICE_FORMS,
  INVOICE_TYPES,
  isFormAccepted,
  structureName,
} from './invoice-forms.ts';
import { PERSON_PERMISSIONS } from './permissions.ts';

const lists = Object.entries(enumerations).filter((entry): entry is [string, never] => Array.isArray(entry[1]));

describe.each(lists)('%s', (_, values: readonly string[]) => {
  it('holds each value once, also for readers that ignore case', () => {
    expect(new Set(values.map((value) => value.toLowerCase())).size).toBe(values.length);
  });
});

it('lets tokens carry exactly what persons can be granted', () => {
  expect([...TOKEN_PERMISSIONS].sort()).toEqual([...PERSON_PERMISSIONS].sort());
});

it('describes every login method with a code of its own', () => {
  expect(Object.keys(AUTHENTICATION_METHOD_INFO).sort()).toEqual([...AUTHENTICATION_METHODS].sort());
  expect(new Set(Object.values(AUTHENTICATION_METHOD_INFO).map((info) => info.code)).size).toBe(7);
});

describe('invoice forms', () => {
  it.each([
    ['FA (2)', '1-0E', 'FA', { TEST: true, DEMO: false, PRD: false }],
    ['FA (3)', '1-0E', 'FA', { TEST: true, DEMO: true, PRD: true }],
    ['PEF (3)', '2-1', 'PEF', { TEST: true, DEMO: true, PRD: true }],
    ['PEF_KOR (3)', '2-1', 'PEF', { TEST: true, DEMO: true, PRD: true }],
    ['FA_RR (1)', '1-1E', 'FA_RR', { TEST: true, DEMO: true, PRD: true }],
  ])('%s %s %s', (systemCode, schemaVersion, value, accepted) => {
    const form = findForm({ systemCode, schemaVersion, value })!;
    for (const environment of ['TEST', 'DEMO', 'PRD'] as const) {
      expect(isFormAccepted(form, environment, '2026-04-01')).toBe(accepted[environment]);
    }
    expect((FORM_TYPES as readonly string[]).includes(form.value)).toBe(true);
  });

  it.each([
    ['FA(3)', '1-0E', 'FA'],
    ['FA (3)', '1-1E', 'FA'],
    ['FA_RR (1)', '1-0E', 'FA_RR'],
    ['FA_RR (1)', '1-1E', 'RR'],
    ['fa (3)', '1-0E', 'FA'],
    ['FA_PEF (3)', '2-1', 'PEF'],
  ])('knows no %s %s %s', (systemCode, schemaVersion, value) => {
    expect(findForm({ systemCode, schemaVersion, value })).toBeUndefined();
  });

  it('takes RR invoices on PRD from April 2026', () => {
    const form = INVOICE_FORMS[4];
    expect(isFormAccepted(form, 'PRD', '2026-03-31')).toBe(false);
    expect(isFormAccepted(form, 'TEST', '2026-03-31')).toBe(true);
  });

  it('names structures like files', () => {
    expect(structureName(INVOICE_FORMS[1])).toBe('Schemat_FA(3)_v1-0E.xsd');
    expect(structureName(INVOICE_FORMS[3])).toBe('Schemat_PEF_KOR(3)_v2-1.xsd');
  });
});

it('knows twelve kinds of invoice and 182 currencies, the colón of El Salvador among them', () => {
  expect(INVOICE_TYPES).toHaveLength(12);
  expect(new Set(CURRENCY_CODES).size).toBe(182);
  expect(CURRENCY_CODES).toContain('SVC');
  for (const code of CURRENCY_CODES) expect(code).toMatch(/^[A-Z]{3}$/);
});
