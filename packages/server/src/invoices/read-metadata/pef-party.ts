import type { BuyerIdentifierType } from '@kwit/contract/enumerations';
import { isEuVat, isNip } from '@kwit/contract/identifiers';
import type { Pointer } from '../../platform/xml/engine.ts';
import type { AuthorizedSubject, Identifier } from './metadata.ts';
import { child, eachChild, token } from './tree.ts';

/** Identifiers and names of a UBL party, in the places where Polish documents put them. */
export interface PefParty {
  /** `CompanyID` of every tax scheme `VAT`. */
  vat: string[];
  legal: string[];
  identifications: string[];
  name?: string;
}

const LONGEST_NAME = 512;
const LONGEST_IDENTIFIER = 50;

/** Cut by characters, not by UTF-16 units. */
const cut = (text: string, length: number) =>
  text.length <= length ? text : [...text.slice(0, 2 * length)].slice(0, length).join('');

function textOf(parent: Pointer, name: string): string | undefined {
  const node = child(parent, name);
  const text = node === 0 ? '' : token(node);
  return text === '' ? undefined : text;
}

export function readPefParty(party: Pointer): PefParty {
  const read: PefParty = { vat: [], legal: [], identifications: [] };
  let registered: string | undefined;
  let called: string | undefined;
  eachChild(party, (node, name) => {
    if (name === 'PartyTaxScheme') {
      const scheme = child(node, 'TaxScheme');
      const id = textOf(node, 'CompanyID');
      if (id !== undefined && scheme !== 0 && textOf(scheme, 'ID') === 'VAT') read.vat.push(id);
    } else if (name === 'PartyLegalEntity') {
      registered ??= textOf(node, 'RegistrationName');
      const id = textOf(node, 'CompanyID');
      if (id !== undefined) read.legal.push(id);
    } else if (name === 'PartyIdentification') {
      const id = textOf(node, 'ID');
      if (id !== undefined) read.identifications.push(id);
    } else if (name === 'PartyName') called ??= textOf(node, 'Name');
  });
  const name = registered ?? called;
  return name === undefined ? read : { ...read, name: cut(name, LONGEST_NAME) };
}

/** Ten digits of `PL1111111111` or `1111111111`; undefined when it is no Polish number. */
export function nipOf(companyId: string): string | undefined {
  const digits = companyId.startsWith('PL') ? companyId.slice(2) : companyId;
  return isNip(digits) ? digits : undefined;
}

/** First hit of five places, a Polish number before anything else. */
export function buyerIdentifier(party: PefParty): Identifier<BuyerIdentifierType> {
  for (const id of [...party.vat, ...party.legal]) {
    const nip = nipOf(id);
    if (nip !== undefined) return { type: 'Nip', value: nip };
  }
  const [id] = [...party.vat, ...party.legal, ...party.identifications];
  if (id === undefined) return { type: 'None' };
  const nip = nipOf(id);
  if (nip !== undefined) return { type: 'Nip', value: nip };
  return isEuVat(id) ? { type: 'VatUe', value: id } : { type: 'Other', value: cut(id, LONGEST_IDENTIFIER) };
}

/** `cac:TaxRepresentativeParty` with a Polish number is an authorised subject of role 3; its scheme is not asked for. */
export function readRepresentative(party: Pointer): AuthorizedSubject | undefined {
  let nip: string | undefined;
  let name: string | undefined;
  eachChild(party, (node, element) => {
    if (element === 'PartyTaxScheme') {
      const id = textOf(node, 'CompanyID');
      if (id !== undefined) nip ??= nipOf(id);
    } else if (element === 'PartyName') name ??= textOf(node, 'Name');
  });
  if (nip === undefined) return undefined;
  return { nip, role: 3, ...(name === undefined ? {} : { name: cut(name, LONGEST_NAME) }) };
}
