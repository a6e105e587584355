import fc from 'fast-check';
import { expect, it } from 'vitest';
import { add, formatDecimal, parseDecimal, subtract, ZERO } from './decimal.ts';

const text = (value: string) => formatDecimal(parseDecimal(value)!);

it.each([
  ['100', '100.00'],
  [' 100.0 ', '100.00'],
  ['-0', '0.00'],
  ['-0.00', '0.00'],
  ['.5', '0.50'],
  ['-.05', '-0.05'],
  ['+7.', '7.00'],
  ['1.2345', '1.2345'],
  ['1.2300', '1.23'],
  ['0010', '10.00'],
  ['1234567890123456.78', '1234567890123456.78'],
])('%s is written %s', (value, expected) => {
  expect(text(value)).toBe(expected);
});

it.each(['', '.', '-', '1e2', '1,5', '0x1', '١', '1 2'])("'%s' is no decimal", (value) => {
  expect(parseDecimal(value)).toBeUndefined();
});

it('adds and takes away like whole numbers of hundredths', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), { maxLength: 14 }), (parts) => {
      const sum = parts.reduce((total, units) => add(total, { units, scale: 2 }), ZERO);
      expect(parseDecimal(formatDecimal(sum))).toEqual({ units: parts.reduce((a, b) => a + b, 0n), scale: 2 });
      expect(formatDecimal(subtract(sum, sum))).toBe('0.00');
    }),
  );
});
