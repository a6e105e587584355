import { describe, expect, test } from 'vitest';
import { checkedFetch } from '../support/checked-fetch.ts';
import { invoiceOf } from '../support/invoices.ts';
import { failure, newCompany } from '../support/parties.ts';
import { target } from '../support/target.ts';

describe('documents', () => {
  const bomb = `<!DOCTYPE f [<!ENTITY a "${'x'.repeat(1000)}">${Array.from(
    { length: 9 },
    (_, at) => `<!ENTITY ${'bcdefghij'[at]} "${`&${'abcdefghi'[at]};`.repeat(10)}">`,
  ).join('')}]>`;
  const outside = '<!DOCTYPE f [<!ENTITY e SYSTEM "file:///etc/passwd">]>';

  test.each([
    ['an entity bomb', (xml: string) => xml.replace('<Faktura', `${bomb}<Faktura`).replace('Towar', '&j;')],
    ['a file of the machine', (xml: string) => xml.replace('<Faktura', `${outside}<Faktura`).replace('Towar', '&e;')],
    ['a foreign encoding', (xml: string) => xml.replace('encoding="UTF-8"', 'encoding="ISO-8859-2"')],
    ['a character that is none', (xml: string) => xml.replace('Towar', 'Towar&#x7F;')],
    ['an element that is not closed', (xml: string) => xml.replace('</Faktura>', '')],
    ['depth without end', (xml: string) => xml.replace('</Faktura>', '<a>'.repeat(20_000))],
  ])('%s ends with 450', async (_, spoil) => {
    const { nip, login } = await newCompany();
    const session = await login.sessions.openOnline();
    const sent = await session.send(spoil(invoiceOf(nip)));
    expect(await failure(session.waitForInvoice(sent))).toMatchObject({ code: 450 });
  });
});

describe('requests', () => {
  const bodies: [string, string][] = [
    ['nothing', ''],
    ['a list', '[]'],
    ['a number', '1'],
    ['null', 'null'],
    ['half an object', '{"formCode":'],
    ['a prototype', '{"__proto__":{"formCode":1},"constructor":{}}'],
    ['depth', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['wrong types', '{"formCode":1,"encryption":"x","permissions":{},"description":[]}'],
    ['the wrong bytes', '\ud800'],
  ];
  test.each(bodies)("%s as a body is refused as the caller's fault", async (_, body) => {
    const { login } = await newCompany();
    const headers = { Authorization: `Bearer ${await login.accessToken()}`, 'Content-Type': 'application/json' };
    for (const path of ['/sessions/online', '/tokens', '/permissions/persons/grants', '/invoices/exports']) {
      const { status } = await checkedFetch(`${target.base}${path}`, { method: 'POST', headers, body });
      expect([path, status]).toEqual([path, 400]);
    }
  });

  test.each([
    '%',
    '%00',
    '..%2f..%2fetc',
    "' or 1=1--",
    '\u202e',
    'x'.repeat(3000),
  ])('a path with %j in it', async (part) => {
    const { login } = await newCompany();
    const headers = { Authorization: `Bearer ${await login.accessToken()}` };
    const encoded = part.startsWith('%') || part.includes('%2f') ? part : encodeURIComponent(part);
    const { status } = await fetch(`${target.base}/sessions/${encoded}`, { headers });
    expect([400, 404, 414, 431]).toContain(status);
  });
});
