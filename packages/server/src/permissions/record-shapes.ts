import { formatTimestamp } from '@kwit/contract/date-time';
import type { SubjectEntityDetails, SubjectPersonDetails } from '@kwit/contract/permission-schemas';
import type { ListedGrant } from './list-store.ts';

/** Parts of records as lists show them. Members without a value are left out. */

type Shown<T extends string> = { type: T; value: string };

/** A stored identifier as the contract's type says it; the columns hold nothing else. */
export function shown<T extends string>(type: string, value: string): Shown<T> {
  return { type: type as T, value };
}

/** `AllPartners` and `System` are shown without a value. */
function shownOrWhole<T extends string>(type: string, value: string | null): { type: T; value?: string } {
  return value ? { type: type as T, value } : { type: type as T };
}

export function subjectOf(row: ListedGrant): Shown<'Nip' | 'Pesel' | 'Fingerprint'> {
  return shown(row.subject_type, row.subject_value);
}

export function authorOf(row: ListedGrant): { type: 'Nip' | 'Pesel' | 'Fingerprint' | 'System'; value?: string } {
  return shownOrWhole(row.author_type, row.author_value);
}

/** Where the record works, when that is a single NIP or unit. */
export function placeOf(row: ListedGrant): Shown<'Nip' | 'InternalId'> | undefined {
  const { works_in_type: type, works_in_value: value } = row;
  return type === 'Nip' || type === 'InternalId' ? { type, value } : undefined;
}

export function targetOf(row: ListedGrant): { type: 'Nip' | 'InternalId' | 'AllPartners'; value?: string } | undefined {
  return row.kind === 'Indirect' ? shownOrWhole(row.works_in_type, row.works_in_value) : undefined;
}

/** At most one of the two: data of an entity, or data of a person. */
export function detailsOf(row: ListedGrant): {
  subjectPersonDetails?: SubjectPersonDetails;
  subjectEntityDetails?: SubjectEntityDetails;
} {
  const details = row.subject_details;
  if (!details) return {};
  return 'fullName' in details ? { subjectEntityDetails: details } : { subjectPersonDetails: details };
}

export function momentOf(date: Date): string {
  return formatTimestamp(date.getTime());
}

export function stateOf(row: ListedGrant): 'Active' | 'Inactive' {
  return row.active ? 'Active' : 'Inactive';
}
