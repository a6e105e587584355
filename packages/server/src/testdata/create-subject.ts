import type { Input } from '@kwit/contract/endpoint';
import type { EntityRole } from '@kwit/contract/permissions';
import { refuse } from '@kwit/contract/refusal';
import type { createSubject as endpoint } from '@kwit/contract/testdata-endpoints';
import type { TestDataDeps } from './deps.ts';
import { checkYounger, startOf } from './rules.ts';
import { insertRoles, lastCreationOfSubject } from './store.ts';

type Body = Input<typeof endpoint, 'body'>;

const ROLES: Readonly<Record<Body['subjectType'], { own: EntityRole; subunit?: EntityRole }>> = {
  EnforcementAuthority: { own: 'EnforcementAuthority' },
  VatGroup: { own: 'VatGroupUnit', subunit: 'VatGroupSubUnit' },
  JST: { own: 'LocalGovernmentUnit', subunit: 'LocalGovernmentSubUnit' },
};

/** Registers an entity with its role, and its subordinates. Grants nothing to anybody. */
export async function createSubject(deps: TestDataDeps, body: Body): Promise<undefined> {
  const { subjectNip, subjectType, description, createdDate } = body;
  const subunits = body.subunits ?? [];
  const { own, subunit } = ROLES[subjectType];
  if (!subunit && subunits.length > 0) {
    throw refuse(
      21405,
      `'subunits' must be empty for the subject type ${subjectType}. You entered ${subunits.length} items.`,
    );
  }
  const nips = [subjectNip, ...subunits.map((s) => s.subjectNip)];
  const repeated = nips.find((nip, index) => nips.indexOf(nip) !== index);
  if (repeated !== undefined) {
    throw refuse(
      21405,
      `'subunits' must name each NIP once, and not the subject itself. You entered ${repeated} twice.`,
    );
  }
  const start = startOf(createdDate, deps.clock.now());
  await deps.database.transaction(async (tx) => {
    const before = await lastCreationOfSubject(tx, subjectNip);
    const roles = [
      { id: deps.random.uuid(), nip: subjectNip, role: own, description },
      ...subunits.map((s) => ({
        id: deps.random.uuid(),
        nip: s.subjectNip,
        role: subunit ?? own,
        parentNip: subjectNip,
        description: s.description,
      })),
    ];
    const entered = await insertRoles(tx, 'Subject', roles, start);
    if (entered < roles.length) {
      throw refuse(30001, `An entity among ${nips.join(', ')} exists already; remove it first.`);
    }
    checkYounger(createdDate, start, before);
  });
  return undefined;
}
