import { type Detail, detail } from '@kwit/contract/refusal';
import type { NameAttribute } from '../platform/x509/name.ts';
import { ATTRIBUTE } from '../platform/x509/oids.ts';

const NAMES = new Map<string, string>(Object.entries(ATTRIBUTE).map(([name, oid]) => [oid, name]));

/**
 * What is different between the subject of a request and the one expected, one sentence for each attribute; empty when they are
 * equal. Order and string types do not count, everything else does.
 */
export function subjectDifferences(
  subject: readonly NameAttribute[],
  expected: readonly NameAttribute[],
  tolerated: readonly NameAttribute[],
): Detail[] {
  const counted = withoutTolerated(subject, expected, tolerated);
  const types = [...new Set([...expected, ...counted].map(({ oid }) => oid))];
  return types.flatMap((oid) => {
    const wanted = textsOf(expected, oid);
    const given = textsOf(counted, oid);
    return isSame(oid, given, wanted) ? [] : [difference(oid, given, wanted)];
  });
}

/** Each tolerated pair may stand once, and only where the data does not ask for the attribute anyway. */
function withoutTolerated(
  subject: readonly NameAttribute[],
  expected: readonly NameAttribute[],
  tolerated: readonly NameAttribute[],
): NameAttribute[] {
  const left = tolerated.filter(({ oid }) => !expected.some((attribute) => attribute.oid === oid));
  return subject.filter(({ oid, value }) => {
    const at = left.findIndex((attribute) => attribute.oid === oid && attribute.value === value);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function textsOf(name: readonly NameAttribute[], oid: string): string[] {
  return name.filter((attribute) => attribute.oid === oid).map(({ value }) => value);
}

function isSame(oid: string, given: readonly string[], wanted: readonly string[]): boolean {
  // Clients that read the given names as one text can only repeat them as one.
  if (oid === ATTRIBUTE.givenName && wanted.length > 1 && given.length === 1 && given[0] === wanted.join(' '))
    return true;
  if (given.length !== wanted.length) return false;
  const inOrder = [...wanted].sort();
  return [...given].sort().every((text, index) => text === inOrder[index]);
}

const LONGEST_SHOWN = 100;

function difference(oid: string, given: readonly string[], wanted: readonly string[]): Detail {
  const name = NAMES.get(oid);
  const attribute = name === undefined ? oid : `${name} (${oid})`;
  const show = (texts: readonly string[]) => texts.map((text) => `"${text.slice(0, LONGEST_SHOWN)}"`).join(', ');
  if (wanted.length === 0)
    return detail('Atrybut {attribute}: CSR zawiera {given}, a dane do CSR go nie zawierają.', {
      attribute,
      given: show(given),
    });
  if (given.length === 0)
    return detail('Atrybut {attribute}: brak w CSR, oczekiwano {wanted}.', { attribute, wanted: show(wanted) });
  return detail('Atrybut {attribute}: w CSR jest {given}, oczekiwano {wanted}.', {
    attribute,
    given: show(given),
    wanted: show(wanted),
  });
}
