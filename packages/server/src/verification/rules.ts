import { holds } from '@kwit/contract/permissions';
import type { IssuingFacts, IssuingQuestion } from '../permissions/issuing-facts.ts';

type Facts = Pick<IssuingFacts, 'permissions' | 'roles' | 'authorizations'>;
type Question = Pick<IssuingQuestion, 'context' | 'sellerNip'>;

const FOR_OTHERS = ['SelfInvoicing', 'TaxRepresentative', 'RRInvoicing'] as const;
const ENFORCING: readonly string[] = ['EnforcementAuthority', 'CourtBailiff'];

/**
 * May the holder of the certificate issue in the context, and the context for the seller?
 * Broader than the check of a sent invoice: the document is not there, so what only it says is not asked.
 */
export function mayIssueFor({ context, sellerNip }: Question, facts: Facts): boolean {
  const { permissions, roles, authorizations } = facts;
  const mayWrite = holds(permissions, 'InvoiceWrite');
  switch (context.type) {
    case 'Nip':
      if (mayWrite && context.value === sellerNip) return true;
      if (mayWrite && FOR_OTHERS.some((authorization) => authorizations.includes(authorization))) return true;
      if (mayWrite && roles.some(({ parentNip }) => parentNip === sellerNip)) return true;
      return holds(permissions, 'EnforcementOperations') && roles.some(({ role }) => ENFORCING.includes(role));
    case 'InternalId':
    case 'NipVatUe':
      return mayWrite && context.value.slice(0, 10) === sellerNip;
    case 'PeppolId':
      return holds(permissions, 'PefInvoiceWrite') && authorizations.includes('PefInvoicing');
  }
}
