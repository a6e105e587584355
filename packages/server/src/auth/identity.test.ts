import { isPesel } from '@kwit/contract/identifiers';
import { describe, expect, it } from 'vitest';
import {
  classOf,
  fitsContext,
  type IdentityKind,
  identify,
  personIdentifier,
  type Signer,
  sealIdentifier,
} from './identity.ts';

const signer = (attributes: Signer['attributes'], over: Partial<Signer> = {}): Signer => ({
  attributes,
  fingerprint: 'AB'.repeat(32),
  isInternal: false,
  trustedProfile: undefined,
  ...over,
});
const person = {
  givenName: 'Jan',
  surname: 'Kowalski',
  serialNumber: 'PNOPL-88102341294',
  commonName: 'Jan Kowalski',
  countryName: 'PL',
};
const seal = {
  organizationName: 'Firma',
  organizationIdentifier: 'VATPL-5265877635',
  commonName: 'Firma',
  countryName: 'PL',
};
const peppol = { organizationName: 'Dostawca', commonName: 'PPL123456' };
const who = (s: Signer, kind: IdentityKind = 'certificateSubject') => identify(s, kind, isPesel);

describe('identifier of a certificate', () => {
  it.each([
    ['PNOPL-88102341294', { type: 'Pesel', value: '88102341294' }],
    ['PESEL: 88102341294', { type: 'Pesel', value: '88102341294' }],
    ['TINPL-1234567890', { type: 'Nip', value: '1234567890' }],
    ['NIP-1234567890', { type: 'Nip', value: '1234567890' }],
    ['TINPL-5265877635-12345', { type: 'Nip', value: '5265877635' }],
    ['TINPL-1234567890 PNOPL-88102341294', { type: 'Pesel', value: '88102341294' }],
    ['-88102341294', undefined],
    ['TINPL-111111', undefined],
    ['PESEL-9876543210', undefined],
    ['VATPL-1234567890', undefined],
    [undefined, undefined],
  ])('serialNumber %s', (text, expected) => {
    expect(personIdentifier(text)).toEqual(expected);
  });

  it.each([
    ['VATPL-1234567890 NTRPL-0001040934', { type: 'Nip', value: '1234567890' }],
    ['VATPL-123', undefined],
    ['NTRPL-0001040934', undefined],
  ])('organizationIdentifier %s', (text, expected) => {
    expect(sealIdentifier(text)).toEqual(expected);
  });

  it('does not search texts that no certificate has', () => {
    expect(personIdentifier(`${'PESEL'.repeat(50_000)} 88102341294`)).toBeUndefined();
  });
});

describe('class of a certificate', () => {
  it('is decided in the order internal, trusted profile, Peppol, person, seal', () => {
    const profile = { pesel: '88102341294', givenName: 'Jan', surname: 'K' };
    expect(classOf(signer(peppol, { isInternal: true, trustedProfile: profile }))).toBe('InternalCertificate');
    expect(classOf(signer(peppol, { trustedProfile: profile }))).toBe('TrustedProfile');
    expect(classOf(signer(peppol))).toBe('PeppolSignature');
    expect(classOf(signer({ ...peppol, ...person, commonName: 'PPL123456' }))).toBe('QualifiedSignature');
    expect(classOf(signer(person))).toBe('QualifiedSignature');
    expect(classOf(signer(seal))).toBe('QualifiedSeal');
    expect(classOf(signer({ commonName: 'PPL123456' }))).toBe('QualifiedSeal');
  });

  it('gives person, seal and provider their identity', () => {
    expect(who(signer(person))).toMatchObject({
      method: 'QualifiedSignature',
      subject: { type: 'Pesel', value: '88102341294' },
    });
    expect(who(signer(seal))).toMatchObject({ method: 'QualifiedSeal', subject: { type: 'Nip', value: '5265877635' } });
    expect(who(signer(peppol))).toMatchObject({
      method: 'PeppolSignature',
      subject: { type: 'PeppolId', value: 'PPL123456' },
    });
    expect(who(signer(seal, { isInternal: true }))).toMatchObject({
      method: 'InternalCertificate',
      subject: undefined,
    });
  });

  it('takes the fingerprint when asked to, also without a readable identifier, but not without the attributes of the class', () => {
    const stranger = signer({ ...person, serialNumber: 'IDCDE-T22000129' });
    expect(who(stranger, 'certificateFingerprint')).toMatchObject({
      subject: { type: 'Fingerprint', value: 'AB'.repeat(32) },
    });
    expect(who(stranger)).toMatchObject({ refused: 'identifier', why: expect.stringContaining('IDCDE-T22000129') });
    const { countryName: _, ...incomplete } = person;
    expect(who(signer(incomplete), 'certificateFingerprint')).toEqual({
      refused: 'certificate',
      missing: ['countryName'],
      excess: [],
    });
  });

  it('refuses a person without surname and a seal with half a person, naming what is wrong', () => {
    const { surname: _, ...half } = person;
    expect(who(signer(half))).toEqual({
      refused: 'certificate',
      missing: ['organizationName', 'organizationIdentifier'],
      excess: ['givenName'],
    });
    expect(who(signer({ ...seal, givenName: 'Jan' }))).toEqual({
      refused: 'certificate',
      missing: [],
      excess: ['givenName'],
    });
  });

  it('reads a trusted profile from what was signed, never from the operator seal', () => {
    const trustedProfile = { pesel: '88102341294', givenName: 'Anna', surname: 'Nowak' };
    expect(who(signer(seal, { trustedProfile }))).toEqual({
      method: 'TrustedProfile',
      subject: { type: 'Pesel', value: '88102341294' },
      attributes: { givenName: 'Anna', surname: 'Nowak' },
    });
    for (const pesel of [undefined, '8810234129', '88992341294'])
      expect(who(signer(seal, { trustedProfile: { ...trustedProfile, pesel } }))).toMatchObject({
        refused: 'identifier',
      });
    expect(who(signer(seal, { trustedProfile }), 'certificateFingerprint')).toMatchObject({ refused: 'identifier' });
  });

  it('fits a Peppol context only as the provider named there, and a provider fits nothing else', () => {
    expect(fitsContext('PeppolSignature', peppol, { type: 'PeppolId', value: 'PPL123456' })).toBe(true);
    expect(fitsContext('PeppolSignature', peppol, { type: 'PeppolId', value: 'PPL999999' })).toBe(false);
    expect(fitsContext('PeppolSignature', peppol, { type: 'Nip', value: '5265877635' })).toBe(false);
    expect(fitsContext('QualifiedSeal', seal, { type: 'PeppolId', value: 'PPL123456' })).toBe(false);
    expect(fitsContext('QualifiedSeal', seal, { type: 'Nip', value: '1111111111' })).toBe(true);
  });
});
