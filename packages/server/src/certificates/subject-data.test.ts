import { describe, expect, it } from 'vitest';
import { type Attributes, nameOf as attributes } from '../../test/support/certificates-bench.ts';
import type { Login } from '../auth/read-login.ts';
import { nameOf, subjectDataOf, toleratedOf } from './subject-data.ts';

function login(pairs: Attributes, method: Login['method'] = 'QualifiedSignature') {
  return { method, subject: undefined, attributes: {}, subjectName: attributes(pairs) };
}

const PERSON: Attributes = [
  ['givenName', 'Anna'],
  ['givenName', 'Maria'],
  ['surname', 'Żak'],
  ['serialNumber', 'NIP-1111111111'],
  ['commonName', 'Anna Żak'],
  ['countryName', 'PL'],
];

describe('enrollment data', () => {
  it('of a person holds all given names and the identifier in its normal form', () => {
    expect(subjectDataOf(login(PERSON))).toEqual({
      commonName: 'Anna Żak',
      countryName: 'PL',
      givenName: ['Anna', 'Maria'],
      surname: 'Żak',
      serialNumber: 'TINPL-1111111111',
    });
  });

  it.each([
    ['NIP-6421111111', 'TINPL-6421111111'],
    ['TINPL-1111111111-12345', 'TINPL-1111111111'],
    ['PESEL: 88102341294', 'PNOPL-88102341294'],
    ['PNOPL-88102341294', 'PNOPL-88102341294'],
    ['IDCDE-C01X00T47', 'IDCDE-C01X00T47'],
    ['PNODE-123', 'PNODE-123'],
  ])('turns the serial number %s into %s', (text, normal) => {
    const data = subjectDataOf(login([...PERSON.filter(([type]) => type !== 'serialNumber'), ['serialNumber', text]]));
    expect(data.serialNumber).toBe(normal);
  });

  it('of a person never holds the organization, of a seal never the serial number', () => {
    const employee = login([...PERSON, ['organizationName', 'Firma'], ['organizationIdentifier', 'VATPL-5265877635']]);
    expect(subjectDataOf(employee)).not.toHaveProperty('organizationName');
    expect(subjectDataOf(employee)).not.toHaveProperty('organizationIdentifier');
    const seal = login(
      [
        ['organizationName', 'Firma'],
        ['organizationIdentifier', 'VATPL-5265877635 NTRPL-0000123456 BR:PL-7'],
        ['serialNumber', 'TINPL-5265877635'],
        ['commonName', ' Firma  '],
        ['uniqueIdentifier', 'u-1'],
      ],
      'QualifiedSeal',
    );
    expect(subjectDataOf(seal)).toEqual({
      commonName: ' Firma  ',
      countryName: 'PL',
      uniqueIdentifier: 'u-1',
      organizationName: 'Firma',
      organizationIdentifier: 'VATPL-5265877635 NTRPL-0000123456 BR:PL-7',
    });
    expect(toleratedOf(seal)).toEqual(attributes([['serialNumber', 'TINPL-5265877635']]));
    expect(toleratedOf(employee)).toHaveLength(2);
  });

  it('of a trusted profile comes from the signature', () => {
    const profile = {
      method: 'TrustedProfile',
      subject: { type: 'Pesel', value: '88102341294' },
      attributes: { givenName: 'Jan', surname: 'Nowak' },
      subjectName: [],
    } as const;
    expect(subjectDataOf(profile)).toEqual({
      commonName: 'Jan Nowak',
      countryName: 'PL',
      givenName: ['Jan'],
      surname: 'Nowak',
      serialNumber: 'PNOPL-88102341294',
    });
  });

  it('of our own certificate is the name without its suffix; nobody else has one', () => {
    const own = PERSON.map(
      ([type, value]) => [type, type === 'commonName' ? `${value} (uwierzytelnienie)` : value] as const,
    );
    expect(subjectDataOf(login(own, 'InternalCertificate')).commonName).toBe('Anna Żak');
    expect(subjectDataOf(login(own)).commonName).toBe('Anna Żak (uwierzytelnienie)');
  });

  it('becomes a name in the order of the certificate', () => {
    const order = (name: ReturnType<typeof nameOf>) => name.map(({ oid }) => oid.replace('2.5.4.', ''));
    expect(order(nameOf(subjectDataOf(login(PERSON))))).toEqual(['6', '5', '4', '42', '42', '3']);
  });
});
