import type { EntityRole, Permission } from '@kwit/contract/permissions';

/** What the rules decide on: persons, roles and grants as plain values. Times are milliseconds since 1970. */

/** Any identifier of a subject, a context, a target or an author. `AllPartners`, `System` and `None` have the value ''. */
export interface Identifier {
  readonly type: string;
  readonly value: string;
}

/** In force from `startDate` until `endDate`; without one until further notice. */
export interface Dated {
  readonly startDate: number;
  readonly endDate?: number | undefined;
}

export interface PersonFact extends Dated {
  readonly nip: string;
  readonly pesel: string;
  readonly isDeceased: boolean;
}

export interface RoleFact extends Dated {
  readonly nip: string;
  readonly role: EntityRole;
  readonly parentNip?: string | undefined;
}

export type GrantKind =
  | 'Person'
  | 'Entity'
  | 'SubunitAdmin'
  | 'Indirect'
  | 'EuAdmin'
  | 'EuRepresentative'
  | 'Authorization';

export interface GrantFact extends Dated {
  readonly id: string;
  readonly kind: GrantKind;
  /** Name of a permission or of an authorization. */
  readonly scope: string;
  /** The context whose authority made it. */
  readonly grantor: Identifier;
  readonly worksIn: Identifier;
  readonly subject: Identifier;
  readonly canDelegate: boolean;
}

/** Rows that may bear on one question. More than needed does no harm: the rules pick what counts. */
export interface Facts {
  readonly persons: readonly PersonFact[];
  readonly roles: readonly RoleFact[];
  readonly grants: readonly GrantFact[];
}

/** Why a permission is held. */
export interface Reason {
  readonly rule:
    | 'owner'
    | 'owner-with-role'
    | 'peppol-provider'
    | 'person-grant'
    | 'entity-grant'
    | 'indirect-grant'
    | 'subunit-administrator'
    | 'eu-administrator'
    | 'eu-representative';
  /** The identifier that counted: the one that logged in, or the one bound to it. */
  readonly as: Identifier;
  readonly grant?: GrantFact;
  /** Indirect grants: the client's own grant that made it possible. */
  readonly delegation?: GrantFact;
  /** The role of the context that made it possible. */
  readonly role?: RoleFact;
}

export interface Effective {
  readonly owner: boolean;
  readonly deceased: boolean;
  readonly roles: readonly EntityRole[];
  /** What is held, in the order of the contract, with every reason. */
  readonly permissions: ReadonlyMap<Permission, readonly Reason[]>;
}

export const ALL_PARTNERS: Identifier = { type: 'AllPartners', value: '' };
export const NOWHERE: Identifier = { type: 'None', value: '' };

export function same(a: Identifier, b: Identifier): boolean {
  return a.type === b.type && a.value === b.value;
}

export function inForce(row: Dated, at: number): boolean {
  return row.startDate <= at && (row.endDate === undefined || row.endDate > at);
}
