import { COUNTRY_CODES } from '@kwit/contract/country-codes';
import { checkIdentifier, checkIdentifierWithChecksum } from '@kwit/contract/identifiers';
import type {
  EuSubjectDetails,
  PersonSubjectDetails,
  SubjectEntityDetails,
  SubjectPersonDetails,
} from '@kwit/contract/permission-schemas';
import { refuse } from '@kwit/contract/refusal';
import type { Identifier } from './model.ts';

/** Rules of input that a schema cannot say: values by type, choices between objects. All violations of a request are told at once. */

export type StoredDetails = SubjectPersonDetails | SubjectEntityDetails;

export interface InputCheck {
  fail(text: string): void;
  /** The value must match the pattern of its type; with `verifyChecksums` (PRD) also its check digits. */
  identifier(path: string, identifier: { type: string; value: string }): void;
  distinct(path: string, values: readonly string[]): void;
  personDetails(subjectType: string, details: PersonSubjectDetails | EuSubjectDetails): StoredDetails | undefined;
  /** Refuses with 21405 when anything failed. */
  done(): void;
}

export function createInputCheck({ verifyChecksums }: { verifyChecksums: boolean }): InputCheck {
  const failures: string[] = [];
  const check: InputCheck = {
    fail: (text) => {
      failures.push(text);
    },
    identifier(path, { type, value }) {
      const fits = verifyChecksums ? checkIdentifierWithChecksum : checkIdentifier;
      if (!fits(type, value)) failures.push(`'${path}.value' is not in the correct format.`);
    },
    distinct(path, values) {
      const repeated = values.find((value, index) => values.indexOf(value) !== index);
      if (repeated !== undefined) {
        failures.push(`'${path}' must contain each value at most once. You entered ${repeated} more than once.`);
      }
    },
    personDetails: (subjectType, details) => readDetails(check, subjectType, details),
    done() {
      if (failures.length > 0) throw refuse(21405, ...failures);
    },
  };
  return check;
}

/** Types that stand for a whole and therefore have no value. */
const WHOLES = ['AllPartners', 'System'];

/** An identifier one of whose types has no value: a value there is wrong, elsewhere it must fit its type. */
export function identifierOrWhole(
  check: InputCheck,
  path: string,
  { type, value = '' }: { type: string; value?: string | undefined },
): Identifier {
  if (WHOLES.includes(type)) {
    if (value !== '') check.fail(`'${path}.value' must be empty for the type ${type}. You entered ${value}.`);
    return { type, value: '' };
  }
  if (value === '') check.fail(`'${path}.value' must not be empty.`);
  else check.identifier(path, { type, value });
  return { type, value };
}

/** Filters of a list, by name: each value must fit its type; what it finds is another matter, so no check digits. */
export function readFilters<Names extends string>(
  filters: Readonly<Record<Names, { type: string; value?: string | undefined } | undefined>>,
): Record<Names, Identifier | undefined> {
  const check = createInputCheck({ verifyChecksums: false });
  const read = {} as Record<Names, Identifier | undefined>;
  for (const name in filters) {
    const filter = filters[name];
    read[name] = filter && identifierOrWhole(check, name, filter);
  }
  check.done();
  return read;
}

/** The object that `subjectDetailsType` selects, in the shape lists show; the others are ignored. */
function readDetails(
  check: InputCheck,
  subjectType: string,
  details: PersonSubjectDetails | EuSubjectDetails,
): StoredDetails | undefined {
  const type = details.subjectDetailsType;
  const byFingerprint = type !== 'PersonByIdentifier';
  if (byFingerprint !== (subjectType === 'Fingerprint')) {
    check.fail(
      `'subjectDetails.subjectDetailsType' must fit 'subjectIdentifier.type'. You entered ${type} for an identifier of type ${subjectType}.`,
    );
  }
  const missing = (name: string): undefined => {
    check.fail(`'subjectDetails.${name}' must not be empty.`);
    return undefined;
  };
  switch (type) {
    case 'PersonByIdentifier': {
      const person = 'personById' in details ? details.personById : undefined;
      return person ? { subjectDetailsType: type, ...person } : missing('personById');
    }
    case 'PersonByFingerprintWithIdentifier': {
      const person = details.personByFpWithId;
      if (!person) return missing('personByFpWithId');
      check.identifier('subjectDetails.personByFpWithId.identifier', person.identifier);
      const { firstName, lastName, identifier } = person;
      return { subjectDetailsType: type, firstName, lastName, personIdentifier: identifier };
    }
    case 'PersonByFingerprintWithoutIdentifier': {
      const person = details.personByFpNoId;
      if (!person) return missing('personByFpNoId');
      if (!COUNTRY_CODES.has(person.idDocument.country)) {
        check.fail("'subjectDetails.personByFpNoId.idDocument.country' is not in the correct format.");
      }
      return { subjectDetailsType: type, ...person };
    }
    case 'EntityByFingerprint': {
      const entity = 'entityByFp' in details ? details.entityByFp : undefined;
      return entity ? { subjectDetailsType: type, ...entity } : missing('entityByFp');
    }
  }
}
