import type { Authorization, EntityRole } from '@kwit/contract/permissions';
import { describe, expect, it } from 'vitest';
import { type AuthorityFacts, type DocumentParties, mayIssue } from './authority.ts';

const SELLER = '1111111111';
const BUYER = '2222222222';
const OTHER = '5555555555';

function document(changes: Partial<DocumentParties> = {}): DocumentParties {
  return {
    form: 'FA (3)',
    seller: { nip: SELLER },
    buyer: { identifier: { type: 'Nip', value: BUYER } },
    thirdSubjects: [],
    isSelfInvoicing: false,
    ...changes,
  };
}

function facts(type: AuthorityFacts['context']['type'], value: string, more: Partial<AuthorityFacts> = {}) {
  return { context: { type, value }, permissions: ['InvoiceWrite'], roles: [], authorizations: [], ...more };
}

const roles = (role: EntityRole, parentNip?: string) => ({ roles: [parentNip ? { role, parentNip } : { role }] });
const given = (...authorizations: Authorization[]) => ({ authorizations });
const third = (role: number, value = OTHER) => ({
  thirdSubjects: [{ identifier: { type: 'Nip', value } as const, role }],
});
const authorized = (role: number) => ({ authorizedSubject: { nip: OTHER, role } });
const enforcing = { permissions: ['EnforcementOperations'] };
const selfInvoiced = document({ isSelfInvoicing: true });
const farm = document({ form: 'FA_RR (1)' });
const peppol = document({ form: 'PEF (3)' });
const provider = { permissions: ['PefInvoiceWrite'] };
const european = document({ isSelfInvoicing: true, buyer: { identifier: { type: 'VatUe', value: 'DE123456789' } } });

describe('allowed', () => {
  const cases: [string, DocumentParties, AuthorityFacts, string][] = [
    ['the owner', document(), facts('Nip', SELLER, { permissions: ['Owner'] }), 'own invoice'],
    ['someone with InvoiceWrite', document(), facts('Nip', SELLER), 'own invoice'],
    ['a VAT group itself', document(), facts('Nip', SELLER, roles('VatGroupUnit')), 'own invoice'],
    ['the farmer', farm, facts('Nip', SELLER), 'own invoice'],
    ['self-invoicing', selfInvoiced, facts('Nip', BUYER, given('SelfInvoicing')), 'self-invoicing'],
    ['RR', farm, facts('Nip', BUYER, given('RRInvoicing')), 'RR invoice'],
    [
      'tax representative',
      document(authorized(3)),
      facts('Nip', OTHER, given('TaxRepresentative')),
      'tax representative',
    ],
    [
      'enforcement authority',
      document(authorized(1)),
      facts('Nip', OTHER, { ...enforcing, ...roles('EnforcementAuthority') }),
      'enforcement authority',
    ],
    [
      'court bailiff',
      document(authorized(2)),
      facts('Nip', OTHER, { ...enforcing, ...roles('CourtBailiff') }),
      'court bailiff',
    ],
    [
      'the bailiff as owner',
      document(authorized(2)),
      facts('Nip', OTHER, { permissions: ['Owner'], ...roles('CourtBailiff') }),
      'court bailiff',
    ],
    [
      'VAT-group member',
      document(third(9)),
      facts('Nip', OTHER, roles('VatGroupSubUnit', SELLER)),
      'member of a VAT group',
    ],
    [
      'local government',
      document(third(7)),
      facts('Nip', OTHER, roles('LocalGovernmentSubUnit', SELLER)),
      'unit of local government',
    ],
    ['internal unit', document(), facts('InternalId', `${SELLER}-00013`), 'internal unit'],
    ['internal unit, RR', farm, facts('InternalId', `${SELLER}-00013`), 'internal unit'],
    [
      'EU entity',
      european,
      facts('NipVatUe', `${SELLER}-DE123456789`),
      'self-invoicing by an entity of the European Union',
    ],
    ['Peppol', peppol, facts('PeppolId', 'PPL123456', { ...provider, ...given('PefInvoicing') }), 'Peppol provider'],
    [
      'Peppol correction',
      document({ form: 'PEF_KOR (3)' }),
      facts('PeppolId', 'PPL123456', { ...provider, ...given('PefInvoicing') }),
      'Peppol provider',
    ],
  ];
  it.each(cases)('%s', (_, parties, known, because) => {
    expect(mayIssue(parties, known)).toEqual({ allowed: true, because });
  });
});

describe('refused because the context may not issue for the seller', () => {
  const cases: [string, DocumentParties, AuthorityFacts][] = [
    ['a stranger', document(), facts('Nip', BUYER)],
    ['self-invoicing without grant', selfInvoiced, facts('Nip', BUYER)],
    ['self-invoicing grant without the mark', document(), facts('Nip', BUYER, given('SelfInvoicing'))],
    ['self-invoicing by someone else', selfInvoiced, facts('Nip', OTHER, given('SelfInvoicing'))],
    [
      'another kind of grant',
      selfInvoiced,
      facts('Nip', BUYER, given('RRInvoicing', 'TaxRepresentative', 'PefInvoicing')),
    ],
    ['RR without grant', farm, facts('Nip', BUYER)],
    ['RR grant for an ordinary invoice', selfInvoiced, facts('Nip', BUYER, given('RRInvoicing'))],
    ['self-invoicing grant for RR', farm, facts('Nip', BUYER, given('SelfInvoicing'))],
    ['representative without grant', document(authorized(3)), facts('Nip', OTHER)],
    ['representative with another role', document(authorized(1)), facts('Nip', OTHER, given('TaxRepresentative'))],
    ['enforcement without role', document(authorized(1)), facts('Nip', OTHER, enforcing)],
    [
      'a bailiff as authority',
      document(authorized(1)),
      facts('Nip', OTHER, { ...enforcing, ...roles('CourtBailiff') }),
    ],
    ['a member of another group', document(third(9)), facts('Nip', OTHER, roles('VatGroupSubUnit', BUYER))],
    ['a member that the document does not name', document(), facts('Nip', OTHER, roles('VatGroupSubUnit', SELLER))],
    ['a member named as recipient', document(third(10)), facts('Nip', OTHER, roles('VatGroupSubUnit', SELLER))],
    [
      'a unit with the role of a member',
      document(third(9)),
      facts('Nip', OTHER, roles('LocalGovernmentSubUnit', SELLER)),
    ],
    ['a unit named as recipient', document(third(8)), facts('Nip', OTHER, roles('LocalGovernmentSubUnit', SELLER))],
    ['an internal unit of another', document(), facts('InternalId', `${BUYER}-00013`)],
    ['an internal unit of the buyer', selfInvoiced, facts('InternalId', `${BUYER}-00013`, given('SelfInvoicing'))],
    [
      'an EU entity without the mark',
      { ...european, isSelfInvoicing: false },
      facts('NipVatUe', `${SELLER}-DE123456789`),
    ],
    ['an EU entity that is not the buyer', european, facts('NipVatUe', `${SELLER}-DE987654321`)],
    ['an EU entity of another seller', european, facts('NipVatUe', `${BUYER}-DE123456789`)],
    ['Peppol without grant', peppol, facts('PeppolId', 'PPL123456', provider)],
    ['Peppol with an FA', document(), facts('PeppolId', 'PPL123456', { ...provider, ...given('PefInvoicing') })],
    ['the seller with a Peppol document', peppol, facts('Nip', SELLER)],
  ];
  it.each(cases)('%s', (_, parties, known) => {
    expect(mayIssue(parties, known)).toEqual({
      allowed: false,
      refusal: {
        code: 410,
        details: [
          `Kontekst ${known.context.value} nie jest uprawniony do wystawienia faktury w imieniu sprzedawcy (NIP: ${SELLER})`,
        ],
      },
    });
  });
});

describe('refused because the subject may not act in the context', () => {
  const cases: [string, DocumentParties, AuthorityFacts][] = [
    ['revoked meanwhile', document(), facts('Nip', SELLER, { permissions: [] })],
    ['only reading', document(), facts('Nip', SELLER, { permissions: ['InvoiceRead', 'CredentialsManage'] })],
    ['a stranger who may nothing', document(), facts('Nip', BUYER, { permissions: ['InvoiceRead'] })],
    ['enforcement only, own invoice', document(), facts('Nip', SELLER, { ...enforcing, ...roles('CourtBailiff') })],
    ['InvoiceWrite only, enforcement', document(authorized(2)), facts('Nip', OTHER, roles('CourtBailiff'))],
    ['a provider with InvoiceWrite', peppol, facts('PeppolId', 'PPL123456', given('PefInvoicing'))],
  ];
  it.each(cases)('%s', (_, parties, known) => {
    expect(mayIssue(parties, known)).toEqual({
      allowed: false,
      refusal: { code: 410, details: ['Brak uprawnienia fakturowego'] },
    });
  });
});
