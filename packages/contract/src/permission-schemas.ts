import Type from 'typebox';
import {
  AUTHOR_IDENTIFIER_TYPES,
  AUTHORIZED_ENTITY_TYPES,
  ENTITY_DETAILS_TYPES,
  EU_SUBJECT_DETAILS_TYPES,
  PERMISSION_STATES,
  PERSON_BY_FINGERPRINT_IDENTIFIER_TYPES,
  PERSON_DETAILS_TYPES,
  PERSON_IDENTIFIER_TYPES,
  TARGET_IDENTIFIER_TYPES,
  UNIT_IDENTIFIER_TYPES,
} from './enumerations.ts';
import { PERMISSION_ID_PATTERN } from './identifiers.ts';
import { PAGE_SIZE_MAXIMA } from './limits.ts';
import { DateOnly, Identifier, OneOf, PageOffset, PageSize } from './schemas.ts';

/** Shapes shared by the endpoints that grant, list and revoke permissions. */

/** Text for people: length as given, and at least one character that is not white space. */
export function Note(minLength: number, maxLength: number) {
  return Type.String({ minLength, maxLength, pattern: '\\S' });
}

/** 5 to 256 characters: the note of a grant, the text of a role. */
export const Description = Note(5, 256);

/** An identifier one of whose types (`AllPartners`, `System`) has no value. */
export function IdentifierOrWhole<const T extends readonly [string, ...string[]]>(types: T, maxLength: number) {
  return Type.Object({ type: OneOf(types), value: Type.Optional(Type.String({ maxLength })) });
}

export const PersonIdentifier = Identifier(PERSON_IDENTIFIER_TYPES, { minLength: 10, maxLength: 64 });
export const AuthorIdentifier = IdentifierOrWhole(AUTHOR_IDENTIFIER_TYPES, 64);
export const NipIdentifier = Identifier(['Nip'], { minLength: 10, maxLength: 10 });
export const FingerprintIdentifier = Identifier(['Fingerprint'], { minLength: 64, maxLength: 64 });
export const AuthorizedEntityIdentifier = Identifier(AUTHORIZED_ENTITY_TYPES, { minLength: 9, maxLength: 10 });
/** An entity or a unit of it: what a grant works in, and what an administrator of a unit is appointed for. */
export const UnitIdentifier = Identifier(UNIT_IDENTIFIER_TYPES, { minLength: 10, maxLength: 16 });
export const TargetIdentifier = IdentifierOrWhole(TARGET_IDENTIFIER_TYPES, 16);
export const NipVatUeIdentifier = Identifier(['NipVatUe'], { minLength: 15, maxLength: 25 });

const FirstName = Note(2, 30);
const LastName = Note(2, 81);
const DocumentedIdentifier = Identifier(PERSON_BY_FINGERPRINT_IDENTIFIER_TYPES, { minLength: 10, maxLength: 11 });

export const IdDocument = Type.Object({
  type: Note(1, 20),
  number: Note(1, 20),
  country: Type.String({ minLength: 2, maxLength: 2, pattern: '^[A-Z]{2}$' }),
});

const PersonByFpWithId = Type.Object({ firstName: FirstName, lastName: LastName, identifier: DocumentedIdentifier });
const PersonByFpNoId = Type.Object({
  firstName: FirstName,
  lastName: LastName,
  birthDate: DateOnly,
  idDocument: IdDocument,
});

/** Data of a person; the type says which of the three objects counts. */
export const PersonSubjectDetails = Type.Object({
  subjectDetailsType: OneOf(PERSON_DETAILS_TYPES),
  personById: Type.Optional(Type.Object({ firstName: FirstName, lastName: LastName })),
  personByFpWithId: Type.Optional(PersonByFpWithId),
  personByFpNoId: Type.Optional(PersonByFpNoId),
});
export type PersonSubjectDetails = Type.Static<typeof PersonSubjectDetails>;

const NamedAddress = Type.Object({ fullName: Note(1, 100), address: Note(1, 512) });

/** Data of an administrator or representative of an EU entity. */
export const EuSubjectDetails = Type.Object({
  subjectDetailsType: OneOf(EU_SUBJECT_DETAILS_TYPES),
  personByFpWithId: Type.Optional(PersonByFpWithId),
  personByFpNoId: Type.Optional(PersonByFpNoId),
  entityByFp: Type.Optional(NamedAddress),
});
export type EuSubjectDetails = Type.Static<typeof EuSubjectDetails>;

export const EntityDetails = Type.Object({ fullName: Note(5, 90) });
export const EuEntityDetails = NamedAddress;

/** Data of a person as lists show it. */
export const SubjectPersonDetails = Type.Object({
  subjectDetailsType: OneOf(PERSON_DETAILS_TYPES),
  firstName: Type.String(),
  lastName: Type.String(),
  personIdentifier: Type.Optional(DocumentedIdentifier),
  birthDate: Type.Optional(DateOnly),
  idDocument: Type.Optional(IdDocument),
});
export type SubjectPersonDetails = Type.Static<typeof SubjectPersonDetails>;

/** Data of an entity as lists show it. */
export const SubjectEntityDetails = Type.Object({
  subjectDetailsType: OneOf(ENTITY_DETAILS_TYPES),
  fullName: Type.String(),
  address: Type.Optional(Type.String()),
});
export type SubjectEntityDetails = Type.Static<typeof SubjectEntityDetails>;

export const PermissionId = Type.String({
  minLength: 36,
  maxLength: 36,
  pattern: PERMISSION_ID_PATTERN,
});

export const PermissionState = OneOf(PERMISSION_STATES);

/** Pages are counted from 0 and hold `pageSize` rows. */
export const PageQuery = Type.Object({ pageOffset: PageOffset, pageSize: PageSize(PAGE_SIZE_MAXIMA.permissions) });
