/**
 * Check 13: may this context issue this document? Pure; the facts are those of the
 * moment of verification, because rights may change while a session is open.
 */
import { splitNipVatUe } from '@kwit/contract/identifiers';
import { type Authorization, type EntityRole, holds, type Permission } from '@kwit/contract/permissions';
import type { ContextIdentifier } from '../platform/caller.ts';
import type { InvoiceMetadata } from './read-metadata/metadata.ts';
import { type InvoiceRefusal, refusal } from './verdict.ts';

/** What a document says about who issues it for whom. */
export type DocumentParties = Pick<
  InvoiceMetadata,
  'form' | 'seller' | 'buyer' | 'thirdSubjects' | 'authorizedSubject' | 'isSelfInvoicing'
>;

export interface AuthorityFacts {
  readonly context: ContextIdentifier;
  /** Of the subject that opened the session, in its context, now; of a token: its own permissions that are still backed. */
  readonly permissions: readonly string[];
  /** Roles of the context's NIP; a subordinate role names the superior. */
  readonly roles: readonly { readonly role: EntityRole; readonly parentNip?: string }[];
  /** Authorizations that the seller has given to the context and that are in force. */
  readonly authorizations: readonly Authorization[];
}

interface Case {
  readonly name: string;
  readonly needs: Permission;
  applies(document: DocumentParties, facts: AuthorityFacts): boolean;
}

const isPeppol = (document: DocumentParties) => document.form.startsWith('PEF');
const isNipContext = ({ context }: AuthorityFacts) => context.type === 'Nip';
const isSeller = (document: DocumentParties, { context }: AuthorityFacts) => document.seller.nip === context.value;
const isBuyer = ({ buyer }: DocumentParties, { context }: AuthorityFacts) =>
  buyer.identifier.type === 'Nip' && buyer.identifier.value === context.value;

function isAuthorized(document: DocumentParties, { context }: AuthorityFacts, role: number): boolean {
  return document.authorizedSubject?.nip === context.value && document.authorizedSubject.role === role;
}

/** The context belongs to the seller, and the document names it as the issuing unit or member. */
function isIssuingPart(document: DocumentParties, facts: AuthorityFacts, role: EntityRole, documentRole: number) {
  const belongs = facts.roles.some((known) => known.role === role && known.parentNip === document.seller.nip);
  const named = document.thirdSubjects.some(
    ({ identifier, role }) =>
      role === documentRole && identifier.type === 'Nip' && identifier.value === facts.context.value,
  );
  return belongs && named;
}

/** A case with a NIP context; Peppol documents never come from one. */
function nipCase(name: string, needs: Permission, applies: Case['applies']): Case {
  return {
    name,
    needs,
    applies: (document, facts) => isNipContext(facts) && !isPeppol(document) && applies(document, facts),
  };
}

/** The first case that applies and whose permission is held allows. */
const CASES: readonly Case[] = [
  nipCase('own invoice', 'InvoiceWrite', isSeller),
  nipCase(
    'self-invoicing',
    'InvoiceWrite',
    (document, facts) =>
      document.form !== 'FA_RR (1)' &&
      document.isSelfInvoicing &&
      isBuyer(document, facts) &&
      facts.authorizations.includes('SelfInvoicing'),
  ),
  nipCase(
    'RR invoice',
    'InvoiceWrite',
    (document, facts) =>
      document.form === 'FA_RR (1)' && isBuyer(document, facts) && facts.authorizations.includes('RRInvoicing'),
  ),
  nipCase(
    'tax representative',
    'InvoiceWrite',
    (document, facts) => isAuthorized(document, facts, 3) && facts.authorizations.includes('TaxRepresentative'),
  ),
  nipCase(
    'enforcement authority',
    'EnforcementOperations',
    (document, facts) =>
      isAuthorized(document, facts, 1) && facts.roles.some(({ role }) => role === 'EnforcementAuthority'),
  ),
  nipCase(
    'court bailiff',
    'EnforcementOperations',
    (document, facts) => isAuthorized(document, facts, 2) && facts.roles.some(({ role }) => role === 'CourtBailiff'),
  ),
  nipCase('member of a VAT group', 'InvoiceWrite', (document, facts) =>
    isIssuingPart(document, facts, 'VatGroupSubUnit', 9),
  ),
  nipCase('unit of local government', 'InvoiceWrite', (document, facts) =>
    isIssuingPart(document, facts, 'LocalGovernmentSubUnit', 7),
  ),
  {
    name: 'internal unit',
    needs: 'InvoiceWrite',
    applies: (document, { context }) =>
      context.type === 'InternalId' && !isPeppol(document) && context.value.slice(0, 10) === document.seller.nip,
  },
  {
    name: 'self-invoicing by an entity of the European Union',
    needs: 'InvoiceWrite',
    applies: (document, { context }) => {
      if (context.type !== 'NipVatUe' || isPeppol(document) || !document.isSelfInvoicing) return false;
      const { nip, euVat } = splitNipVatUe(context.value);
      const { identifier } = document.buyer;
      return nip === document.seller.nip && identifier.type === 'VatUe' && identifier.value === euVat;
    },
  },
  {
    name: 'Peppol provider',
    needs: 'PefInvoiceWrite',
    applies: (document, { context, authorizations }) =>
      context.type === 'PeppolId' && isPeppol(document) && authorizations.includes('PefInvoicing'),
  },
];

const SENDING: readonly Permission[] = ['InvoiceWrite', 'PefInvoiceWrite', 'EnforcementOperations'];

/** The owner of a context with one of these roles may enforce, without a grant. */
const ENFORCING: readonly EntityRole[] = ['CourtBailiff', 'EnforcementAuthority'];

function mayUse(facts: AuthorityFacts, permission: Permission): boolean {
  if (holds(facts.permissions, permission)) return true;
  return (
    permission === 'EnforcementOperations' &&
    facts.permissions.includes('Owner') &&
    facts.roles.some(({ role }) => ENFORCING.includes(role))
  );
}

export type Authority =
  | { readonly allowed: true; readonly because: string }
  | { readonly allowed: false; readonly refusal: InvoiceRefusal };

/**
 * Two questions: may the subject act in the context, and may the context issue for the seller? The texts tell which one failed.
 * EnforcementOperations alone opens only the two cases of enforcement.
 */
export function mayIssue(document: DocumentParties, facts: AuthorityFacts): Authority {
  const applying = CASES.filter((each) => each.applies(document, facts));
  const allowing = applying.find((each) => mayUse(facts, each.needs));
  if (allowing) return { allowed: true, because: allowing.name };
  if (applying.length > 0 || !SENDING.some((permission) => mayUse(facts, permission))) {
    return { allowed: false, refusal: refusal(410, ['Brak uprawnienia fakturowego']) };
  }
  return {
    allowed: false,
    refusal: refusal(410, [
      `Kontekst ${facts.context.value} nie jest uprawniony do wystawienia faktury w imieniu sprzedawcy (NIP: ${document.seller.nip})`,
    ]),
  };
}
