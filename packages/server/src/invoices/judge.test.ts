import { sampleInvoice } from '@kwit/client/sample-invoices';
import type { SystemCode } from '@kwit/contract/invoice-forms';
import { expect, it } from 'vitest';
import { judge, type RegisterFacts } from './judge.ts';
import { verifyDocument } from './verify-document.ts';

const NOON = Date.parse('2026-05-01T10:00:00Z');
const EARLY = Date.parse('2025-12-31T10:00:00Z');

function verdict(document: string, form: SystemCode = 'FA (3)', invoicingDate = NOON) {
  return verifyDocument({ bytes: Buffer.from(document), form, environment: 'TEST', now: NOON, invoicingDate });
}

function facts(attachment: Partial<RegisterFacts['attachment']> = {}, context = '1111111111'): RegisterFacts {
  return {
    attachment: { sessionType: 'Online', isTechnicalCorrection: false, sellerHasConsent: false, ...attachment },
    authority: { context: { type: 'Nip', value: context }, permissions: ['Owner'], roles: [], authorizations: [] },
  };
}
const peppol = (attachment: Partial<RegisterFacts['attachment']>): RegisterFacts => ({
  ...facts(attachment),
  authority: {
    context: { type: 'PeppolId', value: 'PPL123456' },
    permissions: ['PefInvoiceWrite'],
    roles: [],
    authorizations: ['PefInvoicing'],
  },
});

const CONSENT = 'Sprzedawca 1111111111 nie posiada zgody do wysyłania faktur z załącznikami';
const attached = verdict(sampleInvoice({ attachment: true }));
const embedded = verdict(sampleInvoice({ form: 'PEF (3)', attachment: true }), 'PEF (3)');
const future = verdict(sampleInvoice(), 'FA (3)', EARLY);
const futureAttached = verdict(sampleInvoice({ attachment: true }), 'FA (3)', EARLY);

it.each([
  ['a plain invoice of the owner', verdict(sampleInvoice()), facts(), 200, []],
  ['attachment, interactive, without consent', attached, facts(), 415, []],
  ['attachment, interactive, with consent', attached, facts({ sellerHasConsent: true }), 415, []],
  ['attachment, batch, without consent', attached, facts({ sessionType: 'Batch' }), 410, [CONSENT]],
  ['attachment, batch, with consent', attached, facts({ sessionType: 'Batch', sellerHasConsent: true }), 200, []],
  [
    'attachment, technical correction, consent',
    attached,
    facts({ isTechnicalCorrection: true, sellerHasConsent: true }),
    200,
    [],
  ],
  ['attachment, technical correction, none', attached, facts({ isTechnicalCorrection: true }), 410, [CONSENT]],
  ['Peppol file with consent', embedded, peppol({ sellerHasConsent: true }), 200, []],
  ['Peppol file without consent', embedded, peppol({}), 410, [CONSENT]],
  ['attachment before authority', attached, facts({}, '2222222222'), 415, []],
  [
    'authority before the date',
    future,
    facts({}, '2222222222'),
    410,
    ['Kontekst 2222222222 nie jest uprawniony do wystawienia faktury w imieniu sprzedawcy (NIP: 1111111111)'],
  ],
  ['attachment before the date', futureAttached, facts(), 415, []],
  [
    'the date last',
    future,
    facts(),
    450,
    ['The issue date 2026-02-02 is later than the day of acceptance 2025-12-31 (Europe/Warsaw).'],
  ],
  ['the schema first', verdict(sampleInvoice({ attachment: true, currency: 'pln' })), facts(), 450, undefined],
] as const)('%s', (_, given, known, code, details) => {
  const judgement = judge(given, known);
  expect(judgement.accepted ? 200 : judgement.refusal.code).toBe(code);
  if (details) expect(judgement.accepted ? [] : judgement.refusal.details).toEqual(details);
  if (code !== 450 && !judgement.accepted) expect(judgement.invoiceNumber).toBe('FV/1/2026');
});

it('the key of uniqueness is the same in FA (2) and FA (3), with padding, and another for KOR', () => {
  const key = (document: string, form: SystemCode = 'FA (3)') => {
    const read = verdict(document, form);
    if (!read.ok) throw new Error(read.refusal.details.join());
    const { seller, kind, invoiceNumber } = read.metadata;
    return [seller.nip, kind, invoiceNumber];
  };
  const first = key(sampleInvoice());
  expect(first).toEqual(['1111111111', 'VAT', 'FV/1/2026']);
  expect(key(sampleInvoice({ form: 'FA (2)' }), 'FA (2)')).toEqual(first);
  expect(key(sampleInvoice({ number: '  FV/1/2026 ' }))).toEqual(first);
  expect(key(sampleInvoice({ kind: 'KOR' }))).not.toEqual(first);
  expect(key(sampleInvoice({ number: 'fv/1/2026' }))).not.toEqual(first);
  expect(key(sampleInvoice({ seller: { nip: '5555555555', name: 'x' } }))).not.toEqual(first);
});
