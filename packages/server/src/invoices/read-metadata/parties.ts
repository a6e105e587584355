import type { BuyerIdentifierType, ThirdSubjectIdentifierType } from '@kwit/contract/enumerations';
import type { Pointer } from '../../platform/xml/engine.ts';
import type { AuthorizedSubject, Identifier, ThirdSubject } from './metadata.ts';
import { child, eachChild, integer, isYes, raw, token } from './tree.ts';

export interface Party {
  identifier: Identifier<ThirdSubjectIdentifierType>;
  name?: string;
}

/** `KodUE` and `NrVatUE` as one number; the prefix is not doubled when the number already carries it. */
function euVatNumber(country: string, number: string): string {
  return number.startsWith(country) ? number : country + number;
}

/** `DaneIdentyfikacyjne` of an FA or FA_RR party. */
function readParty(party: Pointer): Party {
  let identifier: Identifier<ThirdSubjectIdentifierType> = { type: 'None' };
  let country = '';
  let name: string | undefined;
  const identity = child(party, 'DaneIdentyfikacyjne');
  if (identity === 0) return { identifier };
  eachChild(identity, (node, element) => {
    if (element === 'NIP') identifier = { type: 'Nip', value: raw(node) };
    else if (element === 'IDWew') identifier = { type: 'InternalId', value: token(node) };
    else if (element === 'KodUE') country = raw(node);
    else if (element === 'NrVatUE') identifier = { type: 'VatUe', value: euVatNumber(country, raw(node)) };
    else if (element === 'NrID') identifier = { type: 'Other', value: raw(node) };
    else if (element === 'Nazwa') name = token(node);
  });
  return name === undefined ? { identifier } : { identifier, name };
}

export function readSeller(party: Pointer): { nip: string; name?: string } {
  const { identifier, name } = readParty(party);
  return { nip: identifier.value ?? '', ...(name === undefined ? {} : { name }) };
}

export function readBuyer(party: Pointer): { identifier: Identifier<BuyerIdentifierType>; name?: string } {
  // The schema gives a buyer no internal identifier.
  return readParty(party) as { identifier: Identifier<BuyerIdentifierType>; name?: string };
}

export function readThirdSubject(party: Pointer): ThirdSubject {
  let role = 0;
  eachChild(party, (node, element) => {
    if (element === 'Rola') role = integer(node);
    else if (element === 'RolaInna' && isYes(node)) role = 0;
  });
  return { ...readParty(party), role };
}

export function readAuthorizedSubject(party: Pointer): AuthorizedSubject {
  const role = child(party, 'RolaPU');
  return { ...readSeller(party), role: role === 0 ? 0 : integer(role) };
}
