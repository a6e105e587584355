import { describe, expect, it } from 'vitest';
import { mayIssueFor } from './rules.ts';

type Facts = Parameters<typeof mayIssueFor>[1];
type Context = Parameters<typeof mayIssueFor>[0]['context'];

const SELLER = '5260250274';
const own: Context = { type: 'Nip', value: SELLER };
const other: Context = { type: 'Nip', value: '5265877635' };
const unit: Context = { type: 'InternalId', value: `${SELLER}-12345` };
const eu: Context = { type: 'NipVatUe', value: `${SELLER}-DE123456789` };
const peppol: Context = { type: 'PeppolId', value: 'PPL123456' };
const role = (name: string, parentNip?: string) =>
  ({ nip: other.value, role: name, parentNip, startDate: 0 }) as Facts['roles'][number];

describe('who may issue for the seller of a code II', () => {
  it.each<[string, Context, Partial<Facts>, boolean]>([
    ['the owner', own, { permissions: ['Owner'] }, true],
    ['a person with the permission', own, { permissions: ['InvoiceWrite'] }, true],
    ['a person who may only read', own, { permissions: ['InvoiceRead', 'CredentialsManage'] }, false],
    ['nobody', own, {}, false],
    ['another company', other, { permissions: ['Owner'] }, false],
    ['a buyer with self-invoicing', other, { permissions: ['Owner'], authorizations: ['SelfInvoicing'] }, true],
    ['a buyer of farm produce', other, { permissions: ['InvoiceWrite'], authorizations: ['RRInvoicing'] }, true],
    ['a tax representative', other, { permissions: ['Owner'], authorizations: ['TaxRepresentative'] }, true],
    ['one authorized for Peppol alone', other, { permissions: ['Owner'], authorizations: ['PefInvoicing'] }, false],
    ['someone without permission there', other, { authorizations: ['SelfInvoicing'] }, false],
    ['a member of the group', other, { permissions: ['Owner'], roles: [role('VatGroupSubUnit', SELLER)] }, true],
    [
      'a member of another group',
      other,
      { permissions: ['Owner'], roles: [role('VatGroupSubUnit', '1111111111')] },
      false,
    ],
    ['a bailiff', other, { permissions: ['Owner', 'EnforcementOperations'], roles: [role('CourtBailiff')] }, true],
    [
      'an enforcement authority',
      other,
      { permissions: ['EnforcementOperations'], roles: [role('EnforcementAuthority')] },
      true,
    ],
    [
      'a bailiff without the permission',
      other,
      { permissions: ['InvoiceWrite'], roles: [role('CourtBailiff')] },
      false,
    ],
    ['the permission without the role', other, { permissions: ['EnforcementOperations'] }, false],
    ['a unit of the seller', unit, { permissions: ['InvoiceWrite'] }, true],
    [
      'a unit of somebody else',
      { type: 'InternalId', value: '5265877635-12345' },
      { permissions: ['InvoiceWrite'] },
      false,
    ],
    ['an EU entity', eu, { permissions: ['InvoiceWrite'] }, true],
    ['an EU entity without permission', eu, { permissions: ['InvoiceRead'] }, false],
    ['a Peppol provider', peppol, { permissions: ['PefInvoiceWrite'], authorizations: ['PefInvoicing'] }, true],
    ['a Peppol provider without authorization', peppol, { permissions: ['PefInvoiceWrite'] }, false],
  ])('%s', (_, context, facts, expected) => {
    const all = { permissions: [], roles: [], authorizations: [], ...facts };
    expect(mayIssueFor({ context, sellerNip: SELLER }, all)).toBe(expected);
  });
});
