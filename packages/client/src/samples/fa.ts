import type { CompleteSample, SampleLine, SampleParty, SampleThirdParty } from './sample.ts';
import { byRate, escapeXml, money, net, rateOf, tag } from './sample.ts';

const NAMESPACES = {
  'FA (2)': 'http://crd.gov.pl/wzor/2023/06/29/12648/',
  'FA (3)': 'http://crd.gov.pl/wzor/2025/06/25/13775/',
};

/** Which sum field of the document takes a rate: `P_13_n`, and `P_14_n` where there is tax. */
const SUMS: Record<string, { field: string; taxed: boolean }> = {
  23: { field: '1', taxed: true },
  22: { field: '1', taxed: true },
  8: { field: '2', taxed: true },
  7: { field: '2', taxed: true },
  5: { field: '3', taxed: true },
  4: { field: '4', taxed: true },
  3: { field: '4', taxed: true },
  '0 KR': { field: '6_1', taxed: false },
  0: { field: '6_1', taxed: false },
  '0 WDT': { field: '6_2', taxed: false },
  '0 EX': { field: '6_3', taxed: false },
  zw: { field: '7', taxed: false },
  'np I': { field: '8', taxed: false },
  np: { field: '8', taxed: false },
  'np II': { field: '9', taxed: false },
  oo: { field: '10', taxed: false },
};

export function address(line = 'ul. Przykładowa 1, 00-001 Warszawa'): string {
  return `<Adres><KodKraju>PL</KodKraju>${tag('AdresL1', line)}</Adres>`;
}

export function identity(party: SampleParty): string {
  const id = party.nip
    ? tag('NIP', party.nip)
    : party.internalId
      ? tag('IDWew', party.internalId)
      : party.vatUe
        ? tag('KodUE', party.vatUe[0]) + tag('NrVatUE', party.vatUe[1])
        : party.other
          ? tag('KodKraju', party.other[0]) + tag('NrID', party.other[1])
          : '<BrakID>1</BrakID>';
  return `<DaneIdentyfikacyjne>${id}${tag('Nazwa', party.name)}</DaneIdentyfikacyjne>`;
}

export function thirdParty(party: SampleThirdParty, withAddress: boolean): string {
  const role =
    typeof party.role === 'number' ? tag('Rola', party.role) : `<RolaInna>1</RolaInna>${tag('OpisRoli', party.role)}`;
  return `\n  <Podmiot3>${identity(party)}${withAddress ? address() : ''}${role}</Podmiot3>`;
}

export function header(sample: CompleteSample, value: string, version: string): string {
  const variant = /\((\d)\)/.exec(sample.form)?.[1];
  return `<Naglowek>
    <KodFormularza kodSystemowy="${sample.form}" wersjaSchemy="${version}">${value}</KodFormularza>
    <WariantFormularza>${variant}</WariantFormularza>
    <DataWytworzeniaFa>${sample.createdAt}</DataWytworzeniaFa>
    <SystemInfo>Kwit</SystemInfo>
  </Naglowek>`;
}

export function corrections(sample: CompleteSample): string {
  return sample.corrects
    .map((original) => {
      const reference = original.serviceNumber
        ? `<NrKSeF>1</NrKSeF>${tag('NrKSeFFaKorygowanej', original.serviceNumber)}`
        : '<NrKSeFN>1</NrKSeFN>';
      return `
    <DaneFaKorygowanej>${tag('DataWystFaKorygowanej', original.issueDate)}${tag('NrFaKorygowanej', original.number)}${reference}</DaneFaKorygowanej>`;
    })
    .join('');
}

function sums(sample: CompleteSample): string {
  const fields = new Map<string, { net: number; tax: number; taxed: boolean }>();
  for (const sum of byRate(sample.lines)) {
    const target = SUMS[sum.rate];
    if (!target) throw new RangeError(`no sum field for the rate '${sum.rate}'`);
    const field = fields.get(target.field) ?? { net: 0, tax: 0, taxed: target.taxed };
    field.net += sum.net;
    field.tax += sum.tax;
    fields.set(target.field, field);
  }
  const foreign = sample.currency !== 'PLN' && sample.exchangeRate !== undefined;
  return [...fields]
    .sort(([a], [b]) => Number.parseFloat(a.replace('_', '.')) - Number.parseFloat(b.replace('_', '.')))
    .map(([field, { net, tax, taxed }]) => {
      const zlotys = foreign ? tag(`P_14_${field}W`, money(Math.round((tax * (sample.exchangeRate ?? 0)) / 100))) : '';
      return `${tag(`P_13_${field}`, money(net))}${taxed ? tag(`P_14_${field}`, money(tax)) + zlotys : ''}`;
    })
    .join('\n    ');
}

function line(item: SampleLine, index: number): string {
  const quantity = item.quantity ?? 1;
  return `
    <FaWiersz><NrWierszaFa>${index + 1}</NrWierszaFa>${tag('P_7', item.name)}<P_8A>szt.</P_8A><P_8B>${quantity}</P_8B>${tag('P_9A', money(item.price))}${tag('P_11', money(net(item)))}${tag('P_12', rateOf(item))}</FaWiersz>`;
}

const ATTACHMENT = `
  <Zalacznik>
    <BlokDanych>
      <ZNaglowek>Odczyty</ZNaglowek>
      <MetaDane><ZKlucz>Okres</ZKlucz><ZWartosc>2026-01</ZWartosc></MetaDane>
      <Tabela>
        <TNaglowek><Kol Typ="txt"><NKom>Licznik</NKom></Kol><Kol Typ="int"><NKom>Stan</NKom></Kol></TNaglowek>
        <Wiersz><WKom>L1</WKom><WKom>120</WKom></Wiersz>
      </Tabela>
    </BlokDanych>
  </Zalacznik>`;

export function faDocument(sample: CompleteSample): string {
  const third = sample.form === 'FA (3)';
  const gross = byRate(sample.lines).reduce((sum, rate) => sum + rate.net + rate.tax, 0);
  const buyerFlags = third
    ? tag('JST', sample.localGovernmentBuyer ? 1 : 2) + tag('GV', sample.vatGroupBuyer ? 1 : 2)
    : '';
  const authorized = sample.authorized
    ? `\n  <PodmiotUpowazniony>${identity(sample.authorized)}${address('ul. Druga 2, 00-002 Warszawa')}${tag('RolaPU', sample.authorized.role)}</PodmiotUpowazniony>`
    : '';
  return `<?xml version="1.0" encoding="UTF-8"?>
<Faktura xmlns="${NAMESPACES[third ? 'FA (3)' : 'FA (2)']}">
  ${header(sample, 'FA', '1-0E')}
  <Podmiot1>${identity(sample.seller)}${address()}</Podmiot1>
  <Podmiot2>${identity(sample.buyer)}${buyerFlags}</Podmiot2>${sample.thirdParties.map((party) => thirdParty(party, !third)).join('')}${authorized}
  <Fa>
    <KodWaluty>${escapeXml(sample.currency)}</KodWaluty>
    <P_1>${sample.issueDate}</P_1>
    ${tag('P_2', sample.number)}
    ${sums(sample)}
    <P_15>${money(gross)}</P_15>
    <Adnotacje>
      <P_16>2</P_16>
      <P_17>${sample.selfInvoicing ? 1 : 2}</P_17>
      <P_18>2</P_18>
      <P_18A>2</P_18A>
      <Zwolnienie><P_19N>1</P_19N></Zwolnienie>
      <NoweSrodkiTransportu><P_22N>1</P_22N></NoweSrodkiTransportu>
      <P_23>2</P_23>
      <PMarzy><P_PMarzyN>1</P_PMarzyN></PMarzy>
    </Adnotacje>
    <RodzajFaktury>${escapeXml(sample.kind)}</RodzajFaktury>${corrections(sample)}${sample.lines.map(line).join('')}
  </Fa>${sample.attachment ? ATTACHMENT : ''}
</Faktura>
`;
}
