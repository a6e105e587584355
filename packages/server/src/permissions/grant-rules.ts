import type { Permission } from '@kwit/contract/permissions';
import type { GrantKind, RoleFact } from './model.ts';
import { same } from './model.ts';
import { GRANTED, type GrantRequest, type Operation, type Verdict } from './operation-request.ts';

/** Who may make a record of a kind may also revoke it. */
export const NEEDED: Readonly<Record<GrantKind, Permission>> = {
  Person: 'CredentialsManage',
  Entity: 'CredentialsManage',
  Authorization: 'CredentialsManage',
  Indirect: 'CredentialsManage',
  SubunitAdmin: 'SubunitManage',
  EuAdmin: 'CredentialsManage',
  EuRepresentative: 'VatUeManage',
};

/** Live data a grant is judged by, at the moment it is processed. */
export interface GrantingFacts {
  /** Permissions its author holds in the context now. */
  authorHolds: ReadonlySet<string>;
  subjectIsDeceased: boolean;
  /** The subject is the owner of the context: its NIP or the PESEL bound to it. */
  subjectOwnsContext: boolean;
  roles: readonly RoleFact[];
  /** Roles of the NIP for which an administrator is appointed. */
  rolesOfUnit: readonly RoleFact[];
  /** The Peppol provider that is to be authorized has logged in before. */
  providerIsRegistered: boolean;
}

type Judge = (request: GrantRequest, operation: Operation, facts: GrantingFacts) => Verdict | undefined;

/** First hit wins: right of the author, type of the identifier, relation of identifiers, role of the context, grant to oneself. */
const JUDGES: readonly Judge[] = [authorRight, identifierType, relation, roleOfContext, grantToOneself];

export function judgeGrant(request: GrantRequest, operation: Operation, facts: GrantingFacts): Verdict {
  for (const judge of JUDGES) {
    const verdict = judge(request, operation, facts);
    if (verdict) return verdict;
  }
  return GRANTED;
}

function authorRight(
  { kind }: GrantRequest,
  { author, context }: Operation,
  facts: GrantingFacts,
): Verdict | undefined {
  const needed = NEEDED[kind];
  if (facts.authorHolds.has(needed)) return undefined;
  return {
    code: 420,
    because: `${author.type} ${author.value} no longer holds ${needed} in the context ${context.type} ${context.value}.`,
  };
}

function identifierType(request: GrantRequest, _: Operation, facts: GrantingFacts): Verdict | undefined {
  const { kind, subject } = request;
  if (kind === 'Authorization') {
    const isPef = request.scopes[0]?.scope === 'PefInvoicing';
    if (isPef && subject.type !== 'PeppolId') {
      return {
        code: 450,
        because: `PefInvoicing is for a Peppol provider, not for an identifier of type ${subject.type}.`,
      };
    }
    if (!isPef && subject.type !== 'Nip') {
      return {
        code: 450,
        because: `${request.scopes[0]?.scope} is for a NIP, not for an identifier of type ${subject.type}.`,
      };
    }
    if (isPef && !facts.providerIsRegistered) {
      return { code: 450, because: `No Peppol provider is registered as ${subject.value}.` };
    }
  }
  if (facts.subjectIsDeceased) {
    return { code: 450, because: `The person with ${subject.type} ${subject.value} is marked as deceased.` };
  }
  return undefined;
}

const PARENT_ROLES = ['LocalGovernmentUnit', 'VatGroupUnit'];

function relation(request: GrantRequest, { context }: Operation, facts: GrantingFacts): Verdict | undefined {
  const { kind, worksIn } = request;
  if (kind === 'Indirect' && same(worksIn, context)) {
    return { code: 410, because: `The target ${worksIn.type} ${worksIn.value} is the intermediary itself.` };
  }
  if ((kind === 'SubunitAdmin' && worksIn.type === 'InternalId') || kind === 'EuAdmin') {
    const nip = worksIn.value.slice(0, 10);
    if (nip === context.value) return undefined;
    return { code: 410, because: `${worksIn.type} ${worksIn.value} belongs to NIP ${nip}, not to ${context.value}.` };
  }
  if (kind === 'SubunitAdmin' && hasParentRole(facts)) {
    // Whether an entity is subordinate is a question only for a context that can have subordinates; the others fail by role.
    if (facts.rolesOfUnit.some((r) => r.parentNip === context.value)) return undefined;
    return { code: 410, because: `NIP ${worksIn.value} is not subordinate to NIP ${context.value}.` };
  }
  return undefined;
}

function roleOfContext(request: GrantRequest, { context }: Operation, facts: GrantingFacts): Verdict | undefined {
  const { kind, worksIn } = request;
  if (kind === 'SubunitAdmin' && worksIn.type === 'Nip' && !hasParentRole(facts)) {
    return {
      code: 430,
      because: `NIP ${context.value} has neither the role LocalGovernmentUnit nor VatGroupUnit, so it has no subordinate entities.`,
    };
  }
  if (kind !== 'Person') return undefined;
  const asked = request.scopes.map((s) => s.scope);
  if (context.type === 'InternalId') {
    const misplaced = asked.find((s) => s === 'EnforcementOperations' || s === 'SubunitManage');
    if (misplaced) return { code: 430, because: `${misplaced} cannot be held in a context of type InternalId.` };
  }
  const enforcing = facts.roles.some((r) => r.role === 'EnforcementAuthority' || r.role === 'CourtBailiff');
  if (asked.includes('EnforcementOperations') && !enforcing) {
    return {
      code: 430,
      because: `EnforcementOperations needs a context with the role EnforcementAuthority or CourtBailiff; ${context.value} has none.`,
    };
  }
  return undefined;
}

function grantToOneself(request: GrantRequest, { context }: Operation, facts: GrantingFacts): Verdict | undefined {
  const { kind, subject } = request;
  if (context.type !== 'Nip') return undefined;
  if (kind === 'Person' && facts.subjectOwnsContext) {
    return {
      code: 440,
      because: `${subject.type} ${subject.value} is the owner of the context ${context.value} and holds its permissions already.`,
    };
  }
  if ((kind === 'Entity' || kind === 'Authorization') && same(subject, context)) {
    return { code: 440, because: `NIP ${subject.value} is the granting context itself.` };
  }
  return undefined;
}

function hasParentRole(facts: GrantingFacts): boolean {
  return facts.roles.some((r) => PARENT_ROLES.includes(r.role));
}
