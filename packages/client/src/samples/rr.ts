import { address, corrections, header, identity, thirdParty } from './fa.ts';
import type { CompleteSample, SampleLine } from './sample.ts';
import { escapeXml, money, net, percent, tag } from './sample.ts';

const taxOf = (line: SampleLine) => Math.round((net(line) * percent(line)) / 100);

function line(item: SampleLine, index: number): string {
  const tax = taxOf(item);
  return `
    <FakturaRRWiersz><NrWierszaFa>${index + 1}</NrWierszaFa>${tag('P_5', item.name)}<P_6A>kg</P_6A><P_6B>${item.quantity ?? 1}</P_6B><P_6C>klasa I</P_6C>${tag('P_7', money(item.price))}${tag('P_8', money(net(item)))}<P_9>${item.rate ?? '7'}</P_9>${tag('P_10', money(tax))}${tag('P_11', money(net(item) + tax))}</FakturaRRWiersz>`;
}

/** An invoice that the buyer of farm products issues: the seller is the farmer. */
export function rrDocument(sample: CompleteSample): string {
  const netSum = sample.lines.reduce((sum, item) => sum + net(item), 0);
  const taxSum = sample.lines.reduce((sum, item) => sum + taxOf(item), 0);
  const zlotys = (field: string, amount: number) =>
    sample.currency !== 'PLN' && sample.exchangeRate !== undefined
      ? tag(field, money(Math.round((amount * sample.exchangeRate) / 100)))
      : '';
  return `<?xml version="1.0" encoding="UTF-8"?>
<Faktura xmlns="http://crd.gov.pl/wzor/2026/03/06/14189/">
  ${header(sample, 'FA_RR', '1-1E')}
  <Podmiot1>${identity(sample.seller)}${address('Polna 1, 05-001 Wieś')}</Podmiot1>
  <Podmiot2>${identity(sample.buyer)}${address('Handlowa 2, 00-002 Warszawa')}</Podmiot2>${sample.thirdParties.map((party) => thirdParty(party, true)).join('')}
  <FakturaRR>
    <KodWaluty>${escapeXml(sample.currency)}</KodWaluty>
    <P_4B>${sample.issueDate}</P_4B>
    ${tag('P_4C', sample.number)}
    <P_11_1>${money(netSum)}</P_11_1>${zlotys('P_11_1W', netSum)}
    <P_11_2>${money(taxSum)}</P_11_2>${zlotys('P_11_2W', taxSum)}
    <P_12_1>${money(netSum + taxSum)}</P_12_1>${zlotys('P_12_1W', netSum + taxSum)}
    <P_12_2>kwota słownie</P_12_2>
    <RodzajFaktury>${escapeXml(sample.kind)}</RodzajFaktury>${corrections(sample)}${sample.lines.map(line).join('')}
  </FakturaRR>
</Faktura>
`;
}
