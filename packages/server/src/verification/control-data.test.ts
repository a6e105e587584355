import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ControlFacts, fits, readControlData, triesAddress } from './control-data.ts';

const FACTS: ControlFacts = { invoiceNumber: 'FV/1 a', buyer: { type: 'Nip', value: '2222222222' }, gross: '1230.50' };
const RIGHT = { invoiceNumber: 'FV/1 a', buyerIdentifier: '2222222222', grossAmount: '1230.50' };

function answer(fields: Record<string, string>, facts: ControlFacts = FACTS): boolean | string[] {
  const read = readControlData(Buffer.from(new URLSearchParams(fields).toString()));
  return 'problems' in read ? [...read.problems] : fits(read, facts);
}

describe('answers to the questions of code I', () => {
  it.each<[string, Partial<typeof RIGHT>, boolean]>([
    ['as they stand', {}, true],
    ['blanks at the ends', { invoiceNumber: ' FV/1  a ' }, true],
    ['the number in another case', { invoiceNumber: 'fv/1 a' }, false],
    ['another number', { invoiceNumber: 'FV/2 a' }, false],
    ['a comma', { grossAmount: '1230,5' }, true],
    ['thousands apart', { grossAmount: '1 230,50' }, true],
    ['thousands apart by a narrow blank', { grossAmount: '1\u202f230.50' }, true],
    ['a hundredth more', { grossAmount: '1230.51' }, false],
    ['the sign', { grossAmount: '-1230.50' }, false],
    ['hyphens in the tax number', { buyerIdentifier: '222-222-22-22' }, true],
    ['the prefix of the tax number', { buyerIdentifier: 'PL 2222222222' }, true],
    ['no buyer', { buyerIdentifier: '' }, false],
    ['another buyer', { buyerIdentifier: '1111111111' }, false],
  ])('%s', (_, change, expected) => {
    expect(answer({ ...RIGHT, ...change })).toBe(expected);
  });

  it.each<[string, ControlFacts['buyer'], string, boolean]>([
    ['none', { type: 'None', value: undefined }, '', true],
    ['none, but one is given', { type: 'None', value: undefined }, '2222222222', false],
    ['of the Union', { type: 'VatUe', value: 'DE123456789' }, 'de 123456789', true],
    ['of the Union without its country', { type: 'VatUe', value: 'DE123456789' }, '123456789', false],
    ['other', { type: 'Other', value: 'AB-12 c' }, 'AB-12 c', true],
    ['other, without its hyphen', { type: 'Other', value: 'AB-12 c' }, 'AB12 c', false],
  ])('buyer %s', (_, buyer, typed, expected) => {
    expect(answer({ ...RIGHT, buyerIdentifier: typed }, { ...FACTS, buyer })).toBe(expected);
  });

  it('what cannot be an answer is named', () => {
    expect(answer({})).toEqual(['invoiceNumber', 'grossAmount']);
    for (const grossAmount of ['', 'x', '1,230.50', '1.230,50', '1e3', '0x10', '1230.505', '٣'])
      expect(answer({ ...RIGHT, grossAmount }), grossAmount).toEqual(['grossAmount']);
    expect(answer({ ...RIGHT, invoiceNumber: 'x'.repeat(9_000) })).toEqual(['form']);
    for (const bytes of [Buffer.alloc(0), Buffer.from([0xff, 0x00, 0x26]), Buffer.from('%zz=%&=&&%00')])
      expect(readControlData(bytes)).toHaveProperty('problems');
  });

  it('amounts are right exactly when they are equal', () => {
    const hundredths = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
    const text = (value: bigint) => {
      const digits = String(value < 0n ? -value : value).padStart(3, '0');
      return `${value < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
    };
    const near = fc.tuple(hundredths, fc.bigInt({ min: -2n, max: 2n })).map(([a, d]) => [a, a + d] as const);
    fc.assert(
      fc.property(near, ([a, b]) => {
        expect(answer({ ...RIGHT, grossAmount: text(a) }, { ...FACTS, gross: text(b) })).toBe(a === b);
      }),
    );
  });
});

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('tries from %s count for %s', (ip, expected) => {
  expect(triesAddress(ip)).toBe(expected);
});
