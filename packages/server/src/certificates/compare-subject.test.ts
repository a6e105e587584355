import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Attributes, nameOf } from '../../test/support/certificates-bench.ts';
import type { NameAttribute } from '../platform/x509/name.ts';
import { subjectDifferences } from './compare-subject.ts';

const EXPECTED: Attributes = [
  ['countryName', 'PL'],
  ['serialNumber', 'TINPL-1111111111'],
  ['surname', 'Żak'],
  ['givenName', 'Anna'],
  ['givenName', 'Maria'],
  ['commonName', 'Anna Żak'],
];
const EMAIL: NameAttribute = { oid: '1.2.840.113549.1.9.1', value: 'anna@example.org' };

function said(subject: readonly NameAttribute[], tolerated: Attributes = []): string[] {
  return subjectDifferences(subject, nameOf(EXPECTED), nameOf(tolerated)).map(({ template, values = {} }) =>
    template.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name])),
  );
}

const without = (type: string) => nameOf(EXPECTED.filter(([name]) => name !== type));

describe('the subject of a request', () => {
  it('may have any order', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...EXPECTED], { minLength: EXPECTED.length }), (pairs) => {
        expect(said(nameOf(pairs))).toEqual([]);
      }),
    );
  });

  it('may have several given names as one text, and in no other order', () => {
    expect(said([...without('givenName'), ...nameOf([['givenName', 'Anna Maria']])])).toEqual([]);
    expect(said([...without('givenName'), ...nameOf([['givenName', 'Maria Anna']])])).toHaveLength(1);
    expect(said([...without('givenName'), ...nameOf([['givenName', 'Anna']])])).toEqual([
      'Atrybut givenName (2.5.4.42): w CSR jest "Anna", oczekiwano "Anna", "Maria".',
    ]);
  });

  it('must not lack, change, repeat or add anything; each difference is named', () => {
    expect(said(without('serialNumber'))).toEqual([
      'Atrybut serialNumber (2.5.4.5): brak w CSR, oczekiwano "TINPL-1111111111".',
    ]);
    expect(said([...without('commonName'), ...nameOf([['commonName', 'ANNA ŻAK']])])).toEqual([
      'Atrybut commonName (2.5.4.3): w CSR jest "ANNA ŻAK", oczekiwano "Anna Żak".',
    ]);
    expect(said([...without('commonName'), ...nameOf([['commonName', 'Anna Żak ']])])).toHaveLength(1);
    expect(said([...nameOf(EXPECTED), ...nameOf([['surname', 'Żak']])])).toHaveLength(1);
    expect(said([...nameOf(EXPECTED), EMAIL])).toEqual([
      'Atrybut 1.2.840.113549.1.9.1: CSR zawiera "anna@example.org", a dane do CSR go nie zawierają.',
    ]);
    expect(said([])).toHaveLength(5);
  });

  it('may carry what the login certificate has beside the data, once and unchanged', () => {
    const organization = nameOf([['organizationName', 'Firma']]);
    expect(said([...nameOf(EXPECTED), ...organization], [['organizationName', 'Firma']])).toEqual([]);
    expect(said([...nameOf(EXPECTED), ...organization])).toHaveLength(1);
    expect(said([...nameOf(EXPECTED), ...organization], [['organizationName', 'Inna']])).toHaveLength(1);
    expect(said([...nameOf(EXPECTED), ...organization, ...organization], [['organizationName', 'Firma']])).toHaveLength(
      1,
    );
    // Tolerance never replaces what the data asks for.
    expect(
      said(without('serialNumber').concat(nameOf([['serialNumber', 'NIP-1']])), [['serialNumber', 'NIP-1']]),
    ).toHaveLength(1);
  });
});
