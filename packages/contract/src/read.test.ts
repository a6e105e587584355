import fc from 'fast-check';
import Type from 'typebox';
import { describe, expect, test } from 'vitest';
import { createReader } from './read.ts';

const Body = Type.Object({
  challenge: Type.String({ minLength: 36, maxLength: 36 }),
  contextIdentifier: Type.Object({
    type: Type.Union([Type.Literal('Nip'), Type.Literal('InternalId')]),
    value: Type.String({ minLength: 1, pattern: '^[0-9-]+$' }),
  }),
  svcNumber: Type.Optional(Type.String()),
  usage: Type.Optional(Type.Union([Type.Literal('SvcTokenEncryption'), Type.Literal('SymmetricKeyEncryption')])),
  description: Type.Optional(Type.String({ minLength: 5, maxLength: 256 })),
  size: Type.Optional(Type.Integer({ maximum: 5_000_000_000 })),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  flag: Type.Optional(Type.Boolean()),
  when: Type.Optional(Type.String({ format: 'date-time' })),
  day: Type.Optional(Type.String({ format: 'date' })),
  bytes: Type.Optional(Type.String({ format: 'base64' })),
  list: Type.Optional(Type.Array(Type.String({ maxLength: 3 }), { minItems: 1, maxItems: 3 })),
});

const CHALLENGE = '20250514-CR-226FB7B000-3ACF9BE4C0-10';
const valid = { challenge: CHALLENGE, contextIdentifier: { type: 'Nip', value: '5265877635' } };
const read = createReader<Record<string, unknown>>(Body);

describe('what is understood', () => {
  test('names and enumeration values in any case, in either name; null is absent; the unknown is ignored', () => {
    const { value, failures } = read({
      Challenge: CHALLENGE,
      CONTEXTIDENTIFIER: { Type: 'nip', VALUE: '5265877635' },
      KsefNumber: 'x',
      Usage: 'KSEFTOKENENCRYPTION',
      description: null,
      surprise: { deep: [1, 2, 3] },
    });
    expect(failures).toEqual([]);
    expect(value).toEqual({ ...valid, svcNumber: 'x', usage: 'SvcTokenEncryption' });
  });

  test('an exact spelling wins over one that differs in case', () => {
    expect(read({ ...valid, COUNT: 3, count: 4 }).value.count).toBe(4);
    expect(read({ ...valid, count: 4, COUNT: 3 }).value.count).toBe(4);
  });

  test('a query string holds text: numbers, booleans and repeated values are read from it', () => {
    const query = Type.Object({
      pageSize: Type.Optional(Type.Integer({ minimum: 10, maximum: 250 })),
      statuses: Type.Optional(Type.Array(Type.Union([Type.Literal('InProgress'), Type.Literal('Succeeded')]))),
      verify: Type.Optional(Type.Boolean()),
    });
    const readQuery = createReader(query, 'text');
    expect(readQuery({ pageSize: '10', statuses: ['inprogress', 'Succeeded'], verify: 'TRUE' })).toEqual({
      value: { pageSize: 10, statuses: ['InProgress', 'Succeeded'], verify: true },
      failures: [],
    });
    expect(readQuery({ statuses: 'Succeeded' }).value).toEqual({ statuses: ['Succeeded'] });
    expect(readQuery({ pageSize: '5' }).failures).toEqual(["'pageSize' must be between 10 and 250. You entered 5."]);
    expect(readQuery({ pageSize: 'ten' }).failures).toEqual(["The value 'ten' is not valid for PageSize."]);
    expect(readQuery({ verify: 'abc' }).failures).toEqual(["The value 'abc' is not valid for Verify."]);
  });
});

describe('what is refused, in the words of the published validator', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['missing', { challenge: undefined }, "'challenge' must not be empty."],
    ['empty', { contextIdentifier: { type: 'Nip', value: '' } }, "'contextIdentifier.value' must not be empty."],
    [
      'wrong length',
      { challenge: 'x'.repeat(35) },
      "'challenge' must be 36 characters in length. You entered 35 characters.",
    ],
    [
      'too short',
      { description: 'four' },
      "'description' must be between 5 and 256 characters. You entered 4 characters.",
    ],
    [
      'pattern',
      { contextIdentifier: { type: 'Nip', value: 'x' } },
      "'contextIdentifier.value' is not in the correct format.",
    ],
    [
      'enumeration',
      { contextIdentifier: { type: 'Pesel', value: '1' } },
      "'contextIdentifier.type' must be one of: Nip, InternalId. You entered Pesel.",
    ],
    [
      'number for an enumeration',
      { contextIdentifier: { type: 1, value: '1' } },
      "'contextIdentifier.type' must be one of: Nip, InternalId. You entered 1.",
    ],
    ['maximum', { size: 5_000_000_001 }, "'size' must be less than or equal to '5000000000'."],
    ['range', { count: 11 }, "'count' must be between 1 and 10. You entered 11."],
    ['text for a number', { count: '1' }, "'count' must be an integer. You entered 1."],
    ['fraction', { count: 1.5 }, "'count' must be an integer. You entered 1.5."],
    ['text for a boolean', { flag: 'true' }, "'flag' must be true or false. You entered true."],
    ['object for text', { description: { a: 1 } }, '\'description\' must be a string. You entered {"a":1}.'],
    ['date-time', { when: 'yesterday' }, "'when' is not in the correct format."],
    ['a day that does not exist', { day: '2026-02-30' }, "'day' is not in the correct format."],
    ['base64', { bytes: 'a' }, "'bytes' is not in the correct format."],
    ['empty list', { list: [] }, "'list' must not be empty."],
    ['too many items', { list: ['a', 'b', 'c', 'd'] }, "'list' must contain 3 items or fewer. You entered 4 items."],
    ['null in a list', { list: [null] }, "'list[0]' must not be empty."],
    ['item', { list: ['abcd'] }, "The length of 'list[0]' must be 3 characters or fewer. You entered 4 characters."],
    ['U+0000', { svcNumber: 'a\u0000b' }, "'svcNumber' is not in the correct format."],
    ['half of a surrogate pair', { svcNumber: '\ud800' }, "'svcNumber' is not in the correct format."],
  ])('%s', (_, change, message) => {
    expect(read({ ...valid, ...change }).failures).toEqual([message]);
  });

  test('of a value of a million items or levels only the beginning is shown', () => {
    const deep = JSON.parse(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`);
    const wide = { a: 'x'.repeat(10), b: Array.from({ length: 1_000_000 }, () => ({ c: null })) };
    const shownOf = (description: unknown) => read({ ...valid, description }).failures;
    const begin = "'description' must be a string. You entered ";
    expect(shownOf(deep)).toEqual([`${begin}${'['.repeat(100)}....`]);
    expect(shownOf(wide)).toEqual([`${begin}${JSON.stringify(wide).slice(0, 100)}....`]);
    const small = [[], {}, [1, 'a"', { b: null, c: [true] }]];
    expect(shownOf(small)).toEqual([`${begin}${JSON.stringify(small)}.`]);
  });

  test('all failures of a request in one pass', () => {
    expect(read({ count: 0, contextIdentifier: { type: 'x' } }).failures).toEqual([
      "'count' must be between 1 and 10. You entered 0.",
      "'contextIdentifier.type' must be one of: Nip, InternalId. You entered x.",
      "'contextIdentifier.value' must not be empty.",
      "'challenge' must not be empty.",
    ]);
  });

  test('what is not an object at all', () => {
    for (const input of [[], 'text', 7, true])
      expect(read(input).failures).toEqual(['The request body must be a JSON object.']);
  });

  test('a million items cost one sentence', () => {
    expect(read({ ...valid, list: new Array(1_000_000).fill('toolong') }).failures).toHaveLength(1);
  });
});

test('long Base64 is judged as strictly as short', () => {
  const strict = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  const accepts = (text: string) => read({ ...valid, bytes: text }).failures.length === 0;
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 200, maxLength: 400 }),
      fc.nat(),
      fc.constantFrom('', '=', '==', '-', '_', ' ', '\n', '*', 'ą', 'A', '/'),
      (bytes, at, inserted) => {
        const clean = Buffer.from(bytes).toString('base64');
        const place = at % (clean.length + 1);
        for (const text of [
          clean,
          clean.slice(0, place) + inserted + clean.slice(place),
          clean.slice(0, place) + inserted + clean.slice(place + inserted.length),
        ]) {
          expect([text, accepts(text)]).toEqual([text, strict.test(text)]);
        }
      },
    ),
  );
});

test('any JSON whatever gives a verdict, never an exception, and no result escapes its schema', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (input) => {
      const { value, failures } = read(input);
      if (failures.length === 0) expect(Object.keys(value).every((key) => key in Body.properties)).toBe(true);
    }),
  );
});
