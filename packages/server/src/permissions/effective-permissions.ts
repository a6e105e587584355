import { OWNER, OWNER_PERMISSIONS, PERMISSIONS, type Permission } from '@kwit/contract/permissions';
import {
  type Effective,
  type Facts,
  type GrantFact,
  type Identifier,
  inForce,
  type Reason,
  type RoleFact,
  same,
} from './model.ts';

/**
 * What a subject may do in a context at a moment, and why. Pure: login, refresh, the processing of
 * operations, lists and `explain` all ask here, so that they agree.
 */
export function effectivePermissions(facts: Facts, subject: Identifier, context: Identifier, at: number): Effective {
  const identities = identitiesOf(facts, subject, at);
  const nothing: Effective = { owner: false, deceased: false, roles: [], permissions: new Map() };
  if (isDeceased(facts, subject, at)) return { ...nothing, deceased: true };
  const held = new Map<string, Reason[]>();
  const add = (permission: string, reason: Reason) => {
    const reasons = held.get(permission);
    if (reasons) reasons.push(reason);
    else held.set(permission, [reason]);
  };

  if (context.type === 'PeppolId') {
    // A provider needs no grant in its own context, and nobody else is let in.
    if (same(subject, context)) add('PefInvoiceWrite', { rule: 'peppol-provider', as: subject });
    return { ...nothing, permissions: inOrder(held) };
  }

  const roles = context.type === 'Nip' ? rolesOf(facts, context.value, at) : [];
  const enforcing = roles.find((r) => r.role === 'CourtBailiff' || r.role === 'EnforcementAuthority');
  // Ownership is an equal NIP: it exists in NIP contexts alone and needs no record.
  const ownerAs = context.type === 'Nip' ? identities.find((i) => same(i, context)) : undefined;
  if (ownerAs) {
    for (const permission of OWNER_PERMISSIONS) add(permission, { rule: 'owner', as: ownerAs });
    if (enforcing) add('EnforcementOperations', { rule: 'owner-with-role', as: ownerAs, role: enforcing });
  }

  for (const grant of facts.grants) {
    const as = identities.find((i) => same(i, grant.subject));
    if (!as || !inForce(grant, at)) continue;
    const reason = reasonOf(facts, grant, as, context, roles, at);
    // The right to enforce lives with the role of the context, whoever granted it.
    if (!reason || (grant.scope === 'EnforcementOperations' && !enforcing)) continue;
    add(grant.scope, grant.scope === 'EnforcementOperations' && enforcing ? { ...reason, role: enforcing } : reason);
  }
  return {
    owner: ownerAs !== undefined,
    deceased: false,
    roles: [...new Set(roles.map((r) => r.role))],
    permissions: inOrder(held),
  };
}

/** Does this grant let its subject into the context? Undefined when it does not. */
function reasonOf(
  facts: Facts,
  grant: GrantFact,
  as: Identifier,
  context: Identifier,
  roles: readonly RoleFact[],
  at: number,
): Reason | undefined {
  const here = same(grant.worksIn, context);
  switch (grant.kind) {
    case 'Person':
      return here ? { rule: 'person-grant', as, grant } : undefined;
    case 'Entity':
      return here ? { rule: 'entity-grant', as, grant } : undefined;
    case 'EuAdmin':
      return here ? { rule: 'eu-administrator', as, grant } : undefined;
    case 'EuRepresentative':
      return here ? { rule: 'eu-representative', as, grant } : undefined;
    case 'SubunitAdmin': {
      if (!here) return undefined;
      if (context.type === 'InternalId') return { rule: 'subunit-administrator', as, grant };
      // In a subordinate NIP the appointment lasts as long as the subordination.
      const role = roles.find((r) => r.parentNip === grant.grantor.value);
      return role && { rule: 'subunit-administrator', as, grant, role };
    }
    case 'Indirect': {
      if (!here && grant.worksIn.type !== 'AllPartners') return undefined;
      const delegation = delegationTo(facts, context, grant.grantor.value, grant.scope, at);
      return delegation && { rule: 'indirect-grant', as, grant, delegation };
    }
    case 'Authorization':
      return undefined;
  }
}

/** The grant by which a client lets the intermediary hand the permission on. */
function delegationTo(
  facts: Facts,
  client: Identifier,
  intermediaryNip: string,
  scope: string,
  at: number,
): GrantFact | undefined {
  return facts.grants.find(
    (g) =>
      g.kind === 'Entity' &&
      g.canDelegate &&
      g.scope === scope &&
      inForce(g, at) &&
      same(g.worksIn, client) &&
      same(g.subject, { type: 'Nip', value: intermediaryNip }),
  );
}

/** The subject and, while a person binds the two, its other identifier. */
export function identitiesOf(facts: Facts, subject: Identifier, at: number): Identifier[] {
  const out = [subject];
  for (const person of facts.persons) {
    if (!inForce(person, at)) continue;
    if (subject.type === 'Nip' && person.nip === subject.value) out.push({ type: 'Pesel', value: person.pesel });
    if (subject.type === 'Pesel' && person.pesel === subject.value) out.push({ type: 'Nip', value: person.nip });
  }
  return out;
}

export function isDeceased(facts: Facts, subject: Identifier, at: number): boolean {
  return facts.persons.some(
    (p) =>
      p.isDeceased &&
      inForce(p, at) &&
      ((subject.type === 'Nip' && p.nip === subject.value) || (subject.type === 'Pesel' && p.pesel === subject.value)),
  );
}

export function rolesOf(facts: Facts, nip: string, at: number): RoleFact[] {
  return facts.roles.filter((r) => r.nip === nip && inForce(r, at));
}

function inOrder(held: ReadonlyMap<string, readonly Reason[]>): Map<Permission, readonly Reason[]> {
  const out = new Map<Permission, readonly Reason[]>();
  for (const permission of PERMISSIONS) {
    const reasons = held.get(permission);
    if (reasons) out.set(permission, reasons);
  }
  return out;
}

/** What a token says: an owner holds `Owner` in place of its contents. Empty means: no login. */
export function permissionClaim(effective: Effective): string[] {
  const names = [...effective.permissions.keys()];
  if (!effective.owner) return names;
  return [OWNER, ...names.filter((name) => !(OWNER_PERMISSIONS as readonly string[]).includes(name))];
}
