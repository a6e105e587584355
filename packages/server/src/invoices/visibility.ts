import type { InvoiceSubjectType } from '@kwit/contract/enumerations';
import { splitNipVatUe } from '@kwit/contract/identifiers';
import type { ContextIdentifier } from '../platform/caller.ts';
import { type Sql, sql } from '../platform/db/sql.ts';

/**
 * Who sees an invoice: the context, not the person, in one of four roles. The source says where rows come
 * from, so that each pair of role and context type is answered from its own index.
 */
export interface Visibility {
  source: 'invoice' | 'third-party';
  condition: Sql;
}

/** Undefined: the role does not exist for this type of context, so there is nothing to see. */
export function visibleAs(role: InvoiceSubjectType, { type, value }: ContextIdentifier): Visibility | undefined {
  switch (type) {
    case 'Nip':
      return { source: role === 'Subject3' ? 'third-party' : 'invoice', condition: nipCondition(role, value) };
    case 'InternalId':
      if (role !== 'Subject3') return undefined;
      return { source: 'third-party', condition: sql`p.party_type = 'InternalId' and p.party_value = ${value}` };
    case 'NipVatUe': {
      if (role !== 'Subject1' && role !== 'Subject2') return undefined;
      const { nip, euVat } = splitNipVatUe(value);
      return { source: 'invoice', condition: sql`i.seller_nip = ${nip} and i.buyer_vat_ue = ${euVat}` };
    }
    default:
      return undefined;
  }
}

function nipCondition(role: InvoiceSubjectType, nip: string): Sql {
  switch (role) {
    case 'Subject1':
      return sql`i.seller_nip = ${nip}`;
    case 'Subject2':
      return sql`i.buyer_nip = ${nip}`;
    case 'Subject3':
      return sql`p.party_type = 'Nip' and p.party_value = ${nip}`;
    case 'SubjectAuthorized':
      return sql`i.authorized_nip = ${nip}`;
  }
}

/** In any of the four roles: who may download the document. */
export function visibleAtAll({ type, value }: ContextIdentifier): Sql {
  const third = sql`exists (select from invoice_third_party p where p.invoice = i.id and p.party_type = ${type} and p.party_value = ${value})`;
  if (type === 'Nip')
    return sql`(i.seller_nip = ${value} or i.buyer_nip = ${value} or i.authorized_nip = ${value} or ${third})`;
  if (type === 'InternalId') return third;
  if (type !== 'NipVatUe') return sql`false`;
  const { nip, euVat } = splitNipVatUe(value);
  return sql`(i.seller_nip = ${nip} and i.buyer_vat_ue = ${euVat})`;
}
