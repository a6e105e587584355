/** Checks of identifiers beyond the schema: ASCII digits everywhere (11), check digits where the environment asks for them (15). */
import { hasInternalIdChecksum, hasNipChecksum, isInternalId, isNip } from '@kwit/contract/identifiers';
import type { InvoiceMetadata } from '../read-metadata/metadata.ts';
import { shown } from '../verdict.ts';

interface Found {
  place: string;
  type: 'Nip' | 'InternalId';
  value: string;
}

function found(metadata: InvoiceMetadata): Found[] {
  const { seller, buyer, thirdSubjects, authorizedSubject } = metadata;
  const all: Found[] = [{ place: 'Podmiot1', type: 'Nip', value: seller.nip }];
  if (buyer.identifier.type === 'Nip')
    all.push({ place: 'Podmiot2', type: 'Nip', value: buyer.identifier.value ?? '' });
  for (const [index, { identifier }] of thirdSubjects.entries()) {
    if (identifier.type !== 'Nip' && identifier.type !== 'InternalId') continue;
    all.push({ place: `Podmiot3[${index + 1}]`, type: identifier.type, value: identifier.value ?? '' });
  }
  if (authorizedSubject) all.push({ place: 'PodmiotUpowazniony', type: 'Nip', value: authorizedSubject.nip });
  return all;
}

const element = ({ place, type }: Found) => `${place}/DaneIdentyfikacyjne/${type === 'Nip' ? 'NIP' : 'IDWew'}`;

/** `\d` of a schema is any decimal digit of Unicode; a tax number has ASCII digits. */
export function asciiIdentifierProblems(metadata: InvoiceMetadata): string[] {
  return found(metadata)
    .filter(({ type, value }) => !(type === 'Nip' ? isNip(value) : isInternalId(value)))
    .map((each) => `${element(each)}: '${shown(each.value, 40)}' must consist of the digits 0 to 9.`);
}

/** Check 15. */
export function checksumProblems(metadata: InvoiceMetadata): string[] {
  // Peppol documents have other element names, and their representative is not among the checked parties.
  const checked = metadata.form.startsWith('PEF')
    ? found(metadata).filter(({ place }) => place === 'Podmiot1' || place === 'Podmiot2')
    : found(metadata);
  return checked.flatMap((each) => {
    if (each.type === 'Nip') {
      const place = metadata.form.startsWith('PEF') ? (each.place === 'Podmiot1' ? 'Seller' : 'Buyer') : element(each);
      return hasNipChecksum(each.value) ? [] : [`${place}: NIP '${each.value}' has a wrong check digit.`];
    }
    const sound = hasNipChecksum(each.value.slice(0, 10)) && hasInternalIdChecksum(each.value);
    return sound ? [] : [`Identyfikator wewnętrzny podmiotu trzeciego: '${each.value}' jest nieprawidłowy.`];
  });
}
