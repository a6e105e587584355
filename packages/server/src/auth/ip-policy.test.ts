import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ip4Number, isAllowed, restriction, reversedRanges } from './ip-policy.ts';

const policy = (lists: Parameters<typeof restriction>[0]) => restriction(lists);
const dotted = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join('.');

describe('IP policy', () => {
  it('restricts nothing without entries', () => {
    for (const empty of [undefined, null, {}, { ip4Addresses: [], ip4Ranges: null, ip4Masks: [] }]) {
      expect(policy(empty)).toBeUndefined();
      expect(isAllowed(policy(empty), '2001:db8::1')).toBe(true);
    }
  });

  it('allows an equal address, an address in a range (ends included) and in a block', () => {
    const lists = policy({
      ip4Addresses: ['203.0.113.7'],
      ip4Ranges: ['10.0.0.5-10.0.1.2'],
      ip4Masks: ['192.168.16.0/20'],
    });
    for (const ip of ['203.0.113.7', '10.0.0.5', '10.0.0.200', '10.0.1.2', '192.168.16.0', '192.168.31.255'])
      expect(isAllowed(lists, ip), ip).toBe(true);
    for (const ip of ['203.0.113.8', '10.0.0.4', '10.0.1.3', '192.168.15.255', '192.168.32.0', '127.0.0.1'])
      expect(isAllowed(lists, ip), ip).toBe(false);
  });

  it('never matches an IPv6 caller, and counts a mapped address as IPv4', () => {
    const everything = policy({ ip4Masks: ['0.0.0.0/0'] });
    expect(isAllowed(everything, '2001:db8::7')).toBe(false);
    expect(isAllowed(everything, '::1')).toBe(false);
    expect(isAllowed(policy({ ip4Addresses: ['10.1.2.3'] }), '::ffff:10.1.2.3')).toBe(true);
  });

  it('reads every address back as the number it stands for', () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (n) => ip4Number(dotted(n)) === n));
  });

  it('agrees with bit arithmetic on every block size', () => {
    const address = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(address, address, fc.integer({ min: 1, max: 32 }), (network, ip, bits) => {
        const mask = (0xffffffff << (32 - bits)) >>> 0;
        const expected = (network & mask) >>> 0 === (ip & mask) >>> 0;
        return isAllowed(policy({ ip4Masks: [`${dotted(network)}/${bits}`] }), dotted(ip)) === expected;
      }),
    );
  });

  it('names the ranges written the wrong way round', () => {
    expect(reversedRanges(['10.0.0.1-10.0.0.9', '10.0.0.9-10.0.0.1', '10.0.0.1-10.0.0.1'])).toEqual([1]);
  });
});
