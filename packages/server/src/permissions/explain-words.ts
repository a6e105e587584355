import { formatTimestamp } from '@kwit/contract/date-time';
import { OWNER_PERMISSIONS, type Permission } from '@kwit/contract/permissions';
import type { NearMisses } from './explain-store.ts';
import { type GrantFact, type Identifier, type Reason, type RoleFact, same } from './model.ts';

/** Sentences of the explanation. Each cites the record it speaks of. */

export const name = (id: Identifier): string => (id.value === '' ? id.type : `${id.type} ${id.value}`);

const record = (grant: GrantFact): string => `grant ${grant.id} of ${formatTimestamp(grant.startDate)}`;

function withBinding(reason: Reason, subject: Identifier, sentence: string): string {
  return same(reason.as, subject)
    ? sentence
    : `${name(subject)} and ${name(reason.as)} are one person, registered together. ${sentence}`;
}

export function whyHeld(permission: Permission, reason: Reason, subject: Identifier, context: Identifier): string {
  return withBinding(reason, subject, sentenceOf(permission, reason, context));
}

function sentenceOf(
  permission: Permission,
  { rule, as, grant, delegation, role }: Reason,
  context: Identifier,
): string {
  const cited = grant ? record(grant) : '';
  switch (rule) {
    case 'owner':
      return `${name(as)} is the owner of the context, and Owner contains ${permission}. No grant is needed for that.`;
    case 'owner-with-role':
      return `${name(as)} is the owner of the context, which has the role ${role?.role}; that gives ${permission}.`;
    case 'peppol-provider':
      return `A Peppol provider holds ${permission} in its own context without any grant.`;
    case 'person-grant': {
      const condition = role ? `, and the context has the role ${role.role} that it needs` : '';
      return `${name(as)} was given ${permission} in ${name(context)} by a person grant (${cited})${condition}.`;
    }
    case 'entity-grant':
      return `${name(context)} gave ${permission} to the entity ${name(as)} (${cited}), and the subject logs in as that entity.`;
    case 'indirect-grant':
      return (
        `${name(grant?.grantor ?? context)} handed ${permission} on to ${name(as)} for ${targetOf(grant)} (${cited}); ` +
        `${name(context)} had given it to that intermediary and lets it delegate (${delegation ? record(delegation) : ''}).`
      );
    case 'subunit-administrator': {
      const condition = role ? `, which is subordinate to it as ${role.role}` : '';
      return `${name(grant?.grantor ?? context)} appointed ${name(as)} administrator of ${name(context)}${condition} (${cited}).`;
    }
    case 'eu-administrator':
      return `${name(as)} is an administrator of the EU entity and was given ${permission} with that (${cited}).`;
    case 'eu-representative':
      return `${name(as)} is a representative of the EU entity and was given ${permission} (${cited}).`;
  }
}

function targetOf(grant: GrantFact | undefined): string {
  return grant?.worksIn.type === 'AllPartners' ? 'all its partners' : name(grant?.worksIn ?? { type: '', value: '' });
}

/** Records in this context that give nothing for want of a role. */
export function withoutRole(
  permission: Permission,
  held: readonly GrantFact[],
  roles: readonly RoleFact[],
  context: Identifier,
): string[] {
  return held
    .filter((g) => g.scope === permission && same(g.worksIn, context))
    .flatMap((g) => {
      if (g.scope === 'EnforcementOperations' && g.kind === 'Person') {
        return [
          `${permission} was granted (${record(g)}), but it counts only while ${name(context)} has the role CourtBailiff or EnforcementAuthority; ${rolesInWords(roles)}.`,
        ];
      }
      if (g.kind === 'SubunitAdmin') {
        return [
          `${name(g.grantor)} appointed an administrator (${record(g)}), but ${name(context)} is no longer subordinate to it; ${rolesInWords(roles)}.`,
        ];
      }
      return [];
    });
}

function rolesInWords(roles: readonly RoleFact[]): string {
  if (roles.length === 0) return 'it has no role now';
  return `its roles now are ${roles.map((r) => (r.parentNip ? `${r.role} of Nip ${r.parentNip}` : r.role)).join(', ')}`;
}

/** Chains of delegation that lack a link, and grants that ended. */
export function brokenChains(permission: Permission, near: NearMisses, context: Identifier): string[] {
  const out: string[] = [];
  for (const grant of near.indirect.filter((g) => g.scope === permission)) {
    const link = near.toIntermediaries.find((e) => e.scope === permission && e.subject.value === grant.grantor.value);
    const handed = `${name(grant.grantor)} handed ${permission} on to ${name(grant.subject)} for ${targetOf(grant)} (${record(grant)})`;
    if (!link) out.push(`${handed}, but ${name(context)} gave ${name(grant.grantor)} no ${permission}.`);
    else if (!link.canDelegate) {
      out.push(
        `${handed}, but ${name(context)} gave ${name(grant.grantor)} that permission without the right to delegate (${record(link)}).`,
      );
    }
  }
  for (const grant of near.toEmployers.filter((g) => g.scope === permission)) {
    if (near.indirect.some((i) => i.scope === permission && i.grantor.value === grant.subject.value)) continue;
    const next = grant.canDelegate
      ? `${name(grant.subject)} must hand it on by an indirect grant`
      : `${name(context)} must first let it delegate, and then it must hand it on by an indirect grant`;
    out.push(
      `${name(context)} gave ${permission} to ${name(grant.subject)} (${record(grant)}), where the subject holds permissions; that does not reach its employees: ${next}.`,
    );
  }
  for (const grant of near.ended.filter((g) => g.scope === permission)) {
    out.push(
      `${record(grant)} gave ${permission} here until it was revoked at ${formatTimestamp(grant.endDate ?? 0)}.`,
    );
  }
  return out;
}

/** Who could give it. */
export function howToGet(permission: Permission, context: Identifier): string {
  const where = name(context);
  switch (permission) {
    case 'PefInvoiceWrite':
      return `${permission} cannot be granted: only a Peppol provider holds it, in its own PeppolId context.`;
    case 'VatUeManage':
      return `${permission} exists in NipVatUe contexts only: the owner of the NIP, or who holds CredentialsManage there, appoints an administrator of the EU entity.`;
    case 'EnforcementOperations':
      return `Missing: ${permission} in ${where}. It can be granted only in a context with the role CourtBailiff or EnforcementAuthority.`;
    default:
      break;
  }
  if (context.type === 'NipVatUe') {
    return `Missing: ${permission} in ${where}. Who holds VatUeManage there can appoint a representative of the EU entity.`;
  }
  if (context.type === 'PeppolId') return `${permission} cannot be held in a PeppolId context.`;
  const owned = context.type === 'Nip' && (OWNER_PERMISSIONS as readonly string[]).includes(permission);
  return `Missing: ${permission} in ${where}. ${owned ? 'Its owner has it; ' : ''}who holds CredentialsManage there can grant it.`;
}
