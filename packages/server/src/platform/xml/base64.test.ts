import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBase64 } from './base64.ts';

test('reads what it is given, with white space anywhere', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = Buffer.from(bytes).toString('base64');
      expect(readBase64(text)?.equals(bytes)).toBe(true);
      expect(readBase64(` ${text.replace(/(.{3})/g, '$1\r\n\t ')} `)?.equals(bytes)).toBe(true);
    }),
  );
});

test.each([
  'QQ',
  'QQ=',
  'QR==',
  'QQ===',
  '=',
  'QUI',
  'QUJ=',
  '*QQ=',
  'Q-_A',
  'QQ==QQ==',
  'QQ==\u00a0',
  'Zażó',
])('refuses %j', (text) => {
  expect(readBase64(text)).toBeUndefined();
});
