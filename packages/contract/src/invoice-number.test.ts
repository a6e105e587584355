import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatInvoiceNumber, invoiceChecksum, isInvoiceNumber, parseInvoiceNumber } from './invoice-number.ts';

describe('checksum', () => {
  it.each([
    ['5265877635-20250826-0100001AF629', 'AF'],
    ['5265877635-20250626-010080DD2B5E', '26'],
    ['5265877635-20250916-010040741B3E', '46'],
    ['5265877635-20250916-0200A0D6723E', 'C2'],
    ['5265877635-20250729-01004014E040', '00'],
    ['8980017188-20260324-381F0C000000', 'A2'],
    ['5265877635-20260115-0A1B2C3D4E5F', 'ED'],
    ['8225900795-20260302-0100A4C0F1D2', 'EC'],
  ])('of %s is %s', (first, checksum) => {
    expect(invoiceChecksum(first)).toBe(checksum);
    expect(parseInvoiceNumber(`${first}-${checksum}`)?.checksumValid).toBe(true);
  });
});

describe('pattern', () => {
  it.each([
    ['5265877635-20250826-0100001AF629-AF', true],
    ['5265877635-20250826-010000-1AF629-AF', true],
    ['5265877635-20250826-0100001AF629-00', true],
    ['5265877635-20250826-0100001af629-AF', false],
    ['5265877635-20250826-01000-01AF629-AF', false],
    ['1000000000-20250826-0100001AF629-AF', false],
    ['5265877635-20191231-0100001AF629-AF', false],
    ['5265877635-20251326-0100001AF629-AF', false],
    ['5265877635-20250826-0100001AF629', false],
    ['', false],
  ])('%s: %s', (text, fits) => {
    expect(isInvoiceNumber(text)).toBe(fits);
  });

  it('drops the hyphen of old numbers', () => {
    expect(parseInvoiceNumber('5265877635-20250826-010000-1AF629-AF')?.technical).toBe('0100001AF629');
  });
});

describe('formatting', () => {
  it('is undone by parsing', () => {
    const technical = fc.stringMatching(/^[0-9A-F]{12}$/);
    const day = fc
      .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    fc.assert(
      fc.property(technical, day, (digits, date) => {
        const number = formatInvoiceNumber('5265877635', date, digits);
        expect(number).toHaveLength(35);
        expect(parseInvoiceNumber(number)).toEqual({
          nip: '5265877635',
          day: date.replaceAll('-', ''),
          technical: digits,
          checksum: number.slice(-2),
          checksumValid: true,
        });
      }),
    );
  });

  it.each([
    ['1000000000', '2026-01-15', '0A1B2C3D4E5F'],
    ['5265877635', '2026-1-15', '0A1B2C3D4E5F'],
    ['5265877635', '2026-01-15', '0a1b2c3d4e5f'],
    ['5265877635', '2026-01-15', '0A1B2C-3D4E5F'],
  ])('refuses %s %s %s', (nip, date, technical) => {
    expect(() => formatInvoiceNumber(nip, date, technical)).toThrow(RangeError);
  });
});
