import { NAMES } from '@kwit/contract/names';
import { expect, it } from 'vitest';
import { pageText } from '../pages/layout.ts';
import { readPage } from '../pages/page.fixture.ts';
import { shownInvoicePage } from './invoice-page.ts';

it('an invoice that cannot be shown can still be downloaded, with the answers as they were typed', () => {
  const typed = { invoiceNumber: '"><b>', buyerIdentifier: "'", grossAmount: '1' };
  for (const [language, words] of [
    ['pl', 'Pobierz plik XML'],
    ['en', 'Download the XML file'],
  ] as const) {
    const settings = { names: NAMES.svc, environment: 'PRD', language };
    const { text, values, tags } = readPage(pageText(shownInvoicePage({ shown: undefined, typed }, settings)));
    expect(text).toContain(words);
    expect(text).not.toContain('TEST');
    expect(values).toEqual(expect.arrayContaining(Object.values(typed)));
    expect(tags.filter((tag) => tag === 'h1')).toHaveLength(1);
  }
});
