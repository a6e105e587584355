import { ACCESS, type Access, PERMISSIONS, type Permission } from '@kwit/contract/permissions';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { effectivePermissions, identitiesOf, rolesOf } from './effective-permissions.ts';
import { loadNearMisses, type NearMisses } from './explain-store.ts';
import { brokenChains, howToGet, name, whyHeld, withoutRole } from './explain-words.ts';
import { type LoadedFacts, loadFacts } from './load-facts.ts';
import type { Effective, Identifier } from './model.ts';

export interface Question {
  subject: Identifier;
  context: Identifier;
  /** `POST /sessions/online`, or the name of a permission. */
  operation: string;
}

export interface Explanation {
  allowed: boolean;
  /** The operation as it is known here, and what it asks for: one of these is enough. */
  operation: string;
  anyOf: readonly string[];
  because: string[];
  missing: string[];
}

/** Says whether a subject may do something in a context, and why or why not, from the same function that logins ask. */
export async function explain(deps: { database: Database; clock: Clock }, question: Question): Promise<Explanation> {
  const { subject, context } = question;
  const { operation, access } = resolveOperation(question.operation);
  const head = { operation, anyOf: access.anyOf };
  if (access.credential === 'none' || access.credential === 'optionalAccess') {
    return { ...head, allowed: true, because: [`${operation} is public: it asks for no token.`], missing: [] };
  }
  const at = deps.clock.now();
  const facts = await loadFacts(deps.database, subject, context);
  const effective = effectivePermissions(facts, subject, context, at);
  const near = await loadNearMisses(deps.database, identitiesOf(facts, subject, at), context);
  const known: Known = { subject, context, facts, effective, near, at };
  const obstacles = obstaclesOf(operation, access, known);
  const judged = access.anyOf.length > 0 ? judgeAnyOf(access.anyOf, known) : judgeLogin(known);
  const because = judged.because;
  if (access.signatureLoginOnly)
    because.push(`${operation} is open to logins by signature only, not to system tokens.`);
  if (access.testOnly) because.push(`${operation} exists on TEST only.`);
  return {
    ...head,
    allowed: judged.allowed && obstacles.length === 0,
    because,
    missing: [...obstacles, ...judged.missing],
  };
}

/** What is known about the subject and the context of a question at one moment. */
interface Known {
  subject: Identifier;
  context: Identifier;
  facts: LoadedFacts;
  effective: Effective;
  near: NearMisses;
  at: number;
}

interface Judged {
  allowed: boolean;
  because: string[];
  missing: string[];
}

function judgeAnyOf(anyOf: readonly Permission[], known: Known): Judged {
  const { subject, context, effective } = known;
  const held = anyOf.filter((permission) => effective.permissions.has(permission));
  const because = held.flatMap((permission) =>
    (effective.permissions.get(permission) ?? []).map((reason) => whyHeld(permission, reason, subject, context)),
  );
  if (held.length > 0) return { allowed: true, because, missing: [] };
  const missing = effective.deceased
    ? []
    : anyOf.flatMap((permission) => [...almostHeld(permission, known), howToGet(permission, context)]);
  return { allowed: false, because, missing };
}

/** No permission is asked for, but a token is, and that takes at least one permission of any kind. */
function judgeLogin(known: Known): Judged {
  const { subject, context, effective } = known;
  const first = [...effective.permissions][0];
  if (first) {
    const [permission, reasons] = first;
    const reason = reasons[0];
    return {
      allowed: true,
      because: [
        'Any access token of the context is enough, and the subject can get one.',
        ...(reason ? [whyHeld(permission, reason, subject, context)] : []),
      ],
      missing: [],
    };
  }
  const missing = PERMISSIONS.flatMap((permission) => almostHeld(permission, known));
  missing.push(`${name(subject)} holds no permission in ${name(context)}, so no login into it succeeds (status 415).`);
  return { allowed: false, because: [], missing };
}

/** Grants that would give the permission if one more link held. */
function almostHeld(permission: Permission, { context, facts, near, at }: Known): string[] {
  const roles = context.type === 'Nip' ? rolesOf(facts, context.value, at) : [];
  return [...withoutRole(permission, facts.grants, roles, context), ...brokenChains(permission, near, context)];
}

/** What stands in the way whatever is granted. */
function obstaclesOf(operation: string, access: Access, { subject, context, facts, effective }: Known): string[] {
  const out: string[] = [];
  if (access.closedToContexts?.includes(context.type)) {
    out.push(`${operation} is closed to contexts of type ${context.type} (403 context-type-not-allowed).`);
  }
  if (facts.blocked) out.push(`The context ${name(context)} is blocked: logins end with 480 until it is unblocked.`);
  if (effective.deceased) out.push(`${name(subject)} is marked as deceased: logins end with 470, and nothing is held.`);
  return out;
}

/** An endpoint by method and path, in either name and with `{x}` or `:x`, or a permission by its name. */
export function resolveOperation(text: string): { operation: string; access: Access } {
  const wanted = text.trim().replaceAll(/\s+/g, ' ').toLowerCase();
  const permission = PERMISSIONS.find((p) => p.toLowerCase() === wanted);
  if (permission) return { operation: permission, access: { credential: 'access', anyOf: [permission] } };
  const shape = (key: string) =>
    key
      .toLowerCase()
      .replaceAll('ksef', 'svc')
      .replaceAll(/:[^/]+|\{[^/]+\}/g, '*');
  const found = Object.entries<Access>(ACCESS).find(([key]) => shape(key) === shape(wanted));
  if (found) return { operation: found[0], access: found[1] };
  const path = shape(wanted).split(' ').at(-1) ?? '';
  const similar = Object.keys(ACCESS)
    .filter((key) => path.length > 3 && shape(key).includes(path))
    .slice(0, 5);
  const hint = similar.length > 0 ? ` Did you mean ${similar.join(', ')}?` : '';
  throw new UnknownOperation(`No endpoint or permission is called '${text}'.${hint}`);
}

export class UnknownOperation extends Error {}
