import { formatTimestamp, millisecondsOf, parseDateTime } from '@kwit/contract/date-time';
import { checkIdentifier } from '@kwit/contract/identifiers';
import { refuse } from '@kwit/contract/refusal';

/** Start of a role or person: as given, else now. */
export function startOf(createdDate: string | undefined, now: number): number {
  const ticks = createdDate === undefined ? undefined : parseDateTime(createdDate);
  return ticks === undefined ? now : millisecondsOf(ticks);
}

/** Whoever was created before must be younger this time. Only a date that was given can be wrong. */
export function checkYounger(createdDate: string | undefined, start: number, before: Date | null | undefined): void {
  if (createdDate === undefined || !before || start > before.getTime()) return;
  throw refuse(
    21405,
    `'createdDate' must be later than ${formatTimestamp(before.getTime())}, when the same NIP was created before. You entered ${createdDate}.`,
  );
}

export function checkIdentifiers(identifiers: Readonly<Record<string, { type: string; value: string }>>): void {
  const failures = Object.entries(identifiers)
    .filter(([, { type, value }]) => !checkIdentifier(type, value))
    .map(([path]) => `'${path}.value' is not in the correct format.`);
  if (failures.length > 0) throw refuse(21405, ...failures);
}

const DAY_START = 'T00:00:00Z';

/** End of a consent: midnight UTC of the day that was given, else now. */
export function endOfConsent(expectedEndDate: string | undefined, now: number): number {
  return expectedEndDate === undefined ? now : Date.parse(`${expectedEndDate}${DAY_START}`);
}
