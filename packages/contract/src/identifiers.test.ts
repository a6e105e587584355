import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  belowFromBytes,
  randomFingerprint,
  randomInternalId,
  randomNip,
  randomNipVatUe,
  randomPeppolId,
  randomPesel,
} from './identifier-samples.ts';
import {
  checkContextIdentifier,
  checkIdentifier,
  checkIdentifierWithChecksum,
  hasInternalIdChecksum,
  hasNipChecksum,
  hasPeselChecksum,
  IDENTIFIER_PATTERNS,
  internalIdCheckDigit,
  isEuVat,
  isFingerprint,
  isInternalId,
  isNip,
  isNipVatUe,
  isPeppolId,
  isPesel,
} from './identifiers.ts';

describe('NIP', () => {
  it.each([
    ['5265877635', true, true],
    ['1234563218', true, true],
    ['1234563219', true, false],
    ['1234567890', true, false],
    ['1111111111', true, true],
    ['6651887777', true, false],
    ['1000000000', false, false],
    ['0265877635', false, false],
    ['526587763', false, false],
    ['52658776355', false, false],
    ['526-587-76', false, false],
    ['5265877635\n', false, false],
  ])('%s: pattern %s, checksum %s', (value, pattern, checksum) => {
    expect(isNip(value)).toBe(pattern);
    expect(hasNipChecksum(value)).toBe(checksum);
  });
});

describe('PESEL', () => {
  it.each([
    ['44051401359', true, true],
    ['15062788702', true, true],
    ['90091309123', true, false],
    ['88102341294', true, true],
    ['88132341294', false, false],
    ['88002341294', false, false],
    ['8810234129', false, false],
  ])('%s: pattern %s, checksum %s', (value, pattern, checksum) => {
    expect(isPesel(value)).toBe(pattern);
    expect(hasPeselChecksum(value)).toBe(checksum);
  });
});

describe('internal identifier', () => {
  it.each([
    ['6824515772-12343', true],
    ['5265877635-12346', true],
    ['5265877635-12345', false],
    ['7762811692-12347', true],
    ['7762811692-12345', false],
    ['7243438295-85299', true],
    ['3333333333-00013', true],
  ])('%s: checksum %s', (value, checksum) => {
    expect(isInternalId(value)).toBe(true);
    expect(hasInternalIdChecksum(value)).toBe(checksum);
  });

  it('has one right last digit for every unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 9 }), (unit, digit) => {
        const four = String(unit).padStart(4, '0');
        expect(hasInternalIdChecksum(`5265877635-${four}${digit}`)).toBe(
          digit === internalIdCheckDigit('5265877635', four),
        );
      }),
    );
  });
});

describe('EU VAT number', () => {
  it.each([
    'DE123456789',
    'ATU12345678',
    'BE0123456789',
    'IE1234567WA',
    'IE1A12345B',
    'NL123456789B01',
    'ESX1234567X',
    'XIGD123',
    'EL123456789',
    'RO12',
  ])('accepts %s', (value) => {
    expect(isEuVat(value)).toBe(true);
    expect(isNipVatUe(`5265877635-${value}`)).toBe(true);
  });

  it.each([
    'DE123456789012',
    'BE2123456789',
    'GR123456789',
    'RO1',
    'ES123456789',
    'PL5265877635',
    'xDE123456789',
    '',
  ])('refuses %s', (value) => {
    expect(isEuVat(value)).toBe(false);
    expect(isNipVatUe(`5265877635-${value}`)).toBe(false);
  });
});

describe('other identifiers', () => {
  it.each([
    ['PPL123456', true],
    ['P123456789', false],
    ['PPL1234567', false],
    ['ppl123456', false],
  ])('Peppol %s: %s', (value, right) => {
    expect(isPeppolId(value)).toBe(right);
  });

  it('takes fingerprints in upper case only', () => {
    expect(isFingerprint('A'.repeat(64))).toBe(true);
    expect(isFingerprint('a'.repeat(64))).toBe(false);
    expect(isFingerprint('A'.repeat(63))).toBe(false);
  });

  it('judges a value by its type', () => {
    expect(checkContextIdentifier('Nip', '5265877635')).toBe(true);
    expect(checkContextIdentifier('InternalId', '5265877635')).toBe(false);
    expect(checkIdentifier('toString', 'x')).toBe(false);
    expect(checkIdentifierWithChecksum('Nip', '1234567890')).toBe(false);
    expect(checkIdentifierWithChecksum('InternalId', '1234567890-12341')).toBe(false);
  });
});

it('has patterns that also hold for readers of whole characters', () => {
  for (const [type, pattern] of Object.entries(IDENTIFIER_PATTERNS)) {
    expect(new RegExp(pattern, 'u').source, type).toBe(new RegExp(pattern).source);
  }
});

describe('samples', () => {
  const below = belowFromBytes((length) => randomBytes(length));

  it('are always right', () => {
    for (let round = 0; round < 500; round++) {
      const nip = randomNip(below);
      expect(hasNipChecksum(nip)).toBe(true);
      expect(hasPeselChecksum(randomPesel(below))).toBe(true);
      expect(hasInternalIdChecksum(randomInternalId(nip, below))).toBe(true);
      expect(isNipVatUe(randomNipVatUe(nip, below))).toBe(true);
      expect(isPeppolId(randomPeppolId(below))).toBe(true);
      expect(isFingerprint(randomFingerprint(below))).toBe(true);
    }
  });

  it('draw evenly from bytes', () => {
    const sequence = [255, 250, 249, 7];
    const draw = belowFromBytes(() => Uint8Array.of(sequence.shift()!));
    expect(draw(10)).toBe(9);
    expect(draw(10)).toBe(7);
  });
});
