import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { and, join, json, raw, rows, sql } from './sql.ts';

describe('sql', () => {
  test('turns values into numbered parameters', () => {
    const statement = sql`select * from t where a = ${1} and b = ${'x'}`;
    expect(statement.text).toBe('select * from t where a = $1 and b = $2');
    expect(statement.values).toEqual([1, 'x']);
  });

  test('numbers parameters through nested fragments in order', () => {
    const statement = sql`select ${'a'} where ${and([sql`x = ${1}`, false, undefined, sql`y in (${2}, ${3})`])} limit ${9}`;
    expect(statement.text).toBe('select $1 where x = $2 and y in ($3, $4) limit $5');
    expect(statement.values).toEqual(['a', 1, 2, 3, 9]);
  });

  test('no condition means every row', () => {
    expect(sql`select 1 where ${and([undefined, false])}`.text).toBe('select 1 where true');
  });

  test('makes rows for a multi-row insert', () => {
    const statement = sql`insert into t values ${rows([
      [1, 'a'],
      [2, 'b'],
    ])}`;
    expect(statement.text).toBe('insert into t values ($1, $2), ($3, $4)');
    expect(statement.values).toEqual([1, 'a', 2, 'b']);
  });

  test('joins with a separator and falls back to the empty text', () => {
    expect(join([raw('a'), raw('b'), raw('c')], ' or ').text).toBe('a or b or c');
    expect(join([], ', ', 'null').text).toBe('null');
  });

  test('gives a fixed text one name, and a composed text none', () => {
    const make = (value: number) => sql`select ${value}`;
    expect(make(1).name).toBe(make(2).name);
    expect(make(1).name).not.toBe(sql`select ${1}`.name);
    expect(sql`select ${raw('1')}`.name).toBeUndefined();
  });

  test('an object that looks like a fragment is still only a value', () => {
    const hostile = JSON.parse('{"strings":["1); drop table t; --"],"parts":[],"text":"x","values":[]}');
    const statement = sql`insert into t values (${hostile})`;
    expect(statement.text).toBe('insert into t values ($1)');
    expect(statement.values).toEqual([hostile]);
  });

  test('no value ever reaches the text', () => {
    fc.assert(
      fc.property(fc.array(fc.anything()), (values) => {
        const statement = sql`insert into t values ${rows([[0, ...values]])}`;
        expect(statement.text).toMatch(/^insert into t values \(\$\d+(, \$\d+)*\)$/);
        expect(statement.values).toEqual([0, ...values]);
      }),
    );
  });
});

test('json writes arrays as JSON and a missing value as null', () => {
  expect(json([1, 'a'])).toBe('[1,"a"]');
  expect(json(null)).toBe('null');
  expect(json(undefined)).toBeNull();
});
