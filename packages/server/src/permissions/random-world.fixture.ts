import { AUTHORIZATIONS, ENTITY_PERMISSIONS, EU_PERMISSIONS, PERSON_PERMISSIONS } from '@kwit/contract/permissions';
import fc from 'fast-check';
import { ALL_PARTNERS, type GrantFact, type Identifier, NOWHERE, type PersonFact, type RoleFact } from './model.ts';

/** Small worlds in which the same few identities meet all the time. For the property tests of the rules and of the loader. */
export interface World {
  persons: PersonFact[];
  roles: RoleFact[];
  grants: GrantFact[];
}

/** The present of every world. Rows start before or after it, and end before it or not at all. */
export const NOW = Date.parse('2026-03-01T12:00:00Z');

const NIPS = ['5265877635', '7762811692', '1234563218', '6824515772'];
const PESELS = ['44051401359', '15062788702', '90091309122'];
const PRINTS = ['A'.repeat(64), 'B'.repeat(64)];
const UNITS = ['5265877635-12346', '7762811692-12347'];
const EU = ['5265877635-DE123456789', '7762811692-ATU12345678'];
const PROVIDERS = ['PPL123456', 'PPL654321'];

const nips = NIPS.map((value) => ({ type: 'Nip', value }));
const units = UNITS.map((value) => ({ type: 'InternalId', value }));
const euContexts = EU.map((value) => ({ type: 'NipVatUe', value }));
const providers = PROVIDERS.map((value) => ({ type: 'PeppolId', value }));
const people = [
  ...nips,
  ...PESELS.map((value) => ({ type: 'Pesel', value })),
  ...PRINTS.map((value) => ({ type: 'Fingerprint', value })),
];

export const SUBJECTS: readonly Identifier[] = [...people, ...providers];
export const CONTEXTS: readonly Identifier[] = [...nips, ...units, ...euContexts, ...providers];

const ended = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.integer({ min: -10, max: 0 }) },
);
const dates = fc.tuple(fc.integer({ min: -20, max: 2 }), ended).map(([start, end]) => ({
  startDate: NOW + start * 1000,
  ...(end !== undefined && { endDate: NOW + end * 1000 }),
}));

const person = fc
  .record({
    nip: fc.constantFrom(...NIPS),
    pesel: fc.constantFrom(...PESELS),
    isDeceased: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    dates,
  })
  .map(({ dates: when, ...rest }) => ({ ...rest, ...when }));

const role = fc
  .record({
    nip: fc.constantFrom(...NIPS),
    role: fc.constantFrom(
      'CourtBailiff' as const,
      'EnforcementAuthority' as const,
      'LocalGovernmentUnit' as const,
      'LocalGovernmentSubUnit' as const,
      'VatGroupUnit' as const,
      'VatGroupSubUnit' as const,
    ),
    parent: fc.constantFrom(...NIPS),
    dates,
  })
  .map(({ nip, role: name, parent, dates: when }) => ({
    nip,
    role: name,
    ...(name.endsWith('SubUnit') && { parentNip: parent }),
    ...when,
  }));

type Shape = Pick<GrantFact, 'kind' | 'scope' | 'grantor' | 'worksIn' | 'subject' | 'canDelegate'>;
const from = <T>(values: readonly T[]) => fc.constantFrom(...values);
const place = from([...nips, ...units]);

const entity = fc
  .tuple(place, from(nips), from(ENTITY_PERMISSIONS), fc.boolean())
  .map(([context, subject, scope, canDelegate]) => {
    return { kind: 'Entity' as const, scope, grantor: context, worksIn: context, subject, canDelegate };
  });
const indirect = fc
  .tuple(
    from(nips),
    from([...nips, ...units, ALL_PARTNERS, ALL_PARTNERS, ALL_PARTNERS]),
    from(people),
    from(ENTITY_PERMISSIONS),
  )
  .map(([grantor, worksIn, subject, scope]) => {
    return { kind: 'Indirect' as const, scope, grantor, worksIn, subject, canDelegate: false };
  });

/** Chains of two links are rare by chance, so their parts come twice. */
const shape: fc.Arbitrary<Shape> = fc.oneof(
  fc.tuple(place, from(people), from(PERSON_PERMISSIONS)).map(([context, subject, scope]) => {
    return { kind: 'Person' as const, scope, grantor: context, worksIn: context, subject, canDelegate: false };
  }),
  entity,
  entity,
  indirect,
  indirect,
  fc.tuple(from(nips), place, from(people)).map(([grantor, worksIn, subject]) => {
    return { kind: 'SubunitAdmin' as const, scope: 'CredentialsManage', grantor, worksIn, subject, canDelegate: false };
  }),
  fc.tuple(from(euContexts), from(people.slice(-2)), from(EU_PERMISSIONS)).map(([worksIn, subject, scope]) => {
    const grantor = { type: 'Nip', value: worksIn.value.slice(0, 10) };
    return { kind: 'EuAdmin' as const, scope, grantor, worksIn, subject, canDelegate: false };
  }),
  fc.tuple(from(euContexts), from(people.slice(-2)), from(ENTITY_PERMISSIONS)).map(([context, subject, scope]) => {
    return {
      kind: 'EuRepresentative' as const,
      scope,
      grantor: context,
      worksIn: context,
      subject,
      canDelegate: false,
    };
  }),
  fc.tuple(from(nips), from([...nips, ...providers]), from(AUTHORIZATIONS)).map(([grantor, subject, scope]) => {
    return { kind: 'Authorization' as const, scope, grantor, worksIn: NOWHERE, subject, canDelegate: false };
  }),
);

const grant = fc
  .record({ id: fc.uuid(), shape, dates })
  .map(({ id, shape: what, dates: when }) => ({ id, ...what, ...when }));

const open = (row: { endDate?: number | undefined }) => row.endDate === undefined;

/** Rows that a register would refuse because another one is in force are left out, as its unique indexes do. */
function admitted<Row extends { endDate?: number | undefined }>(rows: Row[], keys: (row: Row) => string[]): Row[] {
  const taken = new Set<string>();
  return rows.filter((row) => {
    if (!open(row)) return true;
    const wanted = keys(row);
    if (wanted.some((key) => taken.has(key))) return false;
    for (const key of wanted) taken.add(key);
    return true;
  });
}

export const world: fc.Arbitrary<World> = fc
  .record({
    persons: fc.array(person, { maxLength: 4 }),
    roles: fc.array(role, { maxLength: 5 }),
    grants: fc.array(grant, { minLength: 5, maxLength: 40, size: 'max' }),
  })
  .map(({ persons, roles, grants }) => ({
    persons: admitted(persons, (p) => [p.nip, p.pesel]),
    roles: admitted(roles, (r) => [r.nip]),
    grants: admitted(grants, (g) => [JSON.stringify([g.kind, g.scope, g.grantor, g.worksIn, g.subject])]),
  }));
