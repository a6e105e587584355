/**
 * A schema for receipts written by us from the facts of the interface, for the tests: the published one has no
 * place for a signature and a fixed name of the receiver that only production meets, so both are relaxed here.
 */
import type { UpoVersion } from '@kwit/contract/enumerations';

const NIP = '[1-9](([0-9][1-9])|([1-9][0-9]))[0-9]{7}';
const DAY = '(20[2-9][0-9]|2[1-9][0-9]{2}|[3-9][0-9]{3})(0[1-9]|1[0-2])(0[1-9]|[1-2][0-9]|3[0-1])';
const EU_VAT = [
  'ATU\\d{8}',
  'BE[01]\\d{9}',
  'BG\\d{9,10}',
  'CY\\d{8}[A-Z]',
  'CZ\\d{8,10}',
  'DE\\d{9}',
  'DK\\d{8}',
  'EE\\d{9}',
  'EL\\d{9}',
  'ES([A-Z]\\d{8}|\\d{8}[A-Z]|[A-Z]\\d{7}[A-Z])',
  'FI\\d{8}',
  'FR[A-Z0-9]{2}\\d{9}',
  'HR\\d{11}',
  'HU\\d{8}',
  'IE(\\d{7}[A-Z]{2}|\\d[A-Z0-9+*]\\d{5}[A-Z])',
  'IT\\d{11}',
  'LT(\\d{9}|\\d{12})',
  'LU\\d{8}',
  'LV\\d{11}',
  'MT\\d{8}',
  'NL[A-Z0-9+*]{12}',
  'PT\\d{9}',
  'RO\\d{2,10}',
  'SE\\d{12}',
  'SI\\d{8}',
  'SK\\d{10}',
  'XI(\\d{9}|\\d{12}|(GD|HA)\\d{3})',
].join('|');

const pattern = (name: string, base: string, value: string) =>
  `<xs:simpleType name="${name}"><xs:restriction base="xs:${base}"><xs:pattern value="${value}"/></xs:restriction></xs:simpleType>`;
const length = (name: string, min: number, max: number) =>
  `<xs:simpleType name="${name}"><xs:restriction base="xs:token"><xs:minLength value="${min}"/><xs:maxLength value="${max}"/></xs:restriction></xs:simpleType>`;
const from = (name: string, base: string, first: string) =>
  `<xs:simpleType name="${name}"><xs:restriction base="xs:${base}"><xs:minInclusive value="${first}"/></xs:restriction></xs:simpleType>`;
const one = (name: string, type: string) => `<xs:element name="${name}" type="${type}"/>`;
const sequence = (...parts: string[]) =>
  `<xs:complexType><xs:sequence>${parts.join('')}</xs:sequence></xs:complexType>`;
const holding = (name: string, attributes: string, content: string) =>
  `<xs:element name="${name}"${attributes}>${content}</xs:element>`;

export function upoSchema(version: UpoVersion, name: 'Svc' | 'KSeF'): string {
  const namespace = `http://upo.schematy.mf.gov.pl/${name}/${version}`;
  const number =
    version === 'v4-2'
      ? `(${NIP}|M\\d{9}|[A-Z]{3}\\d{7})-${DAY}-[0-9A-F]{12}-[0-9A-F]{2}`
      : `${NIP}-${DAY}-[0-9A-F]{6}-?[0-9A-F]{6}-[0-9A-F]{2}`;
  const document = sequence(
    one('NipSprzedawcy', 'Nip'),
    one(`Numer${name}Dokumentu`, 'Number'),
    one('NumerFaktury', 'Text256'),
    one('DataWystawieniaFaktury', 'Day'),
    one('DataPrzeslaniaDokumentu', 'Moment'),
    one(`DataNadaniaNumeru${name}`, 'Moment'),
    one('SkrotDokumentu', 'Hash'),
    version === 'v4-2' ? '' : one('TrybWysylki', 'Mode'),
  );
  const context = `<xs:complexType><xs:choice>${one('Nip', 'Nip')}${one('IdWewnetrzny', 'Internal')}${one('IdZlozonyVatUE', 'Eu')}${one('IdDostawcyUslugPeppol', 'Peppol')}</xs:choice></xs:complexType>`;
  const login = `<xs:choice>${one(`NumerReferencyjnyTokena${name}`, 'Reference')}${one('SkrotDokumentuUwierzytelniajacego', 'Hash')}</xs:choice>`;
  const pages = ['Strona', 'LiczbaStron', 'ZakresDokumentowOd', 'ZakresDokumentowDo', 'CalkowitaLiczbaDokumentow'];
  return `<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="${namespace}" xmlns:u="${namespace}" targetNamespace="${namespace}" elementFormDefault="qualified">
${pattern('Nip', 'string', NIP)}
${pattern('Internal', 'token', `${NIP}-[0-9]{5}`)}
${pattern('Eu', 'token', `${NIP}-(${EU_VAT})`)}
${pattern('Peppol', 'token', 'P[A-Z]{2}[0-9]{6}')}
${pattern('Reference', 'token', `${DAY}-([0-9A-Z]{2})-([0-9A-F]{10})-([0-9A-F]{10})-([0-9A-F]{2})`)}
${pattern('Number', 'token', number)}
${pattern('Mode', 'token', 'Online|Offline')}
${length('Hash', 44, 44)}${length('Text240', 1, 240)}${length('Text256', 1, 256)}
${from('Day', 'date', '2006-01-01')}${from('Moment', 'dateTime', '2021-10-01T00:00:00Z')}
<xs:element name="Potwierdzenie">
  <xs:complexType>
    <xs:sequence>
      ${one('NazwaPodmiotuPrzyjmujacego', 'Text240')}
      ${one('NumerReferencyjnySesji', 'Reference')}
      ${holding('Uwierzytelnienie', '', sequence(holding('IdKontekstu', '', context), login))}
      ${holding('OpisPotwierdzenia', ' minOccurs="0"', sequence(...pages.map((page) => one(page, 'xs:positiveInteger'))))}
      ${one('NazwaStrukturyLogicznej', 'Text240')}
      ${one('KodFormularza', 'Text240')}
      ${holding('Dokument', ' maxOccurs="10000"', document)}
      <xs:any namespace="http://www.w3.org/2000/09/xmldsig#" processContents="skip" minOccurs="0"/>
    </xs:sequence>
    <xs:attribute name="wersjaSchemy" type="xs:string"/>
  </xs:complexType>
  <xs:unique name="numbers"><xs:selector xpath="u:Dokument"/><xs:field xpath="u:Numer${name}Dokumentu"/></xs:unique>
</xs:element>
</xs:schema>`;
}
