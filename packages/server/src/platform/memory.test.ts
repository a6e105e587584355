import { expect, it } from 'vitest';
import { createMemory } from './memory.ts';

it('makes a value once, forgets the one not used for the longest time, and remembers no failure', () => {
  const memory = createMemory<string>(2);
  const made: string[] = [];
  const recall = (key: string) =>
    memory.recall(key, () => {
      made.push(key);
      return `value of ${key}`;
    });
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) expect(recall(key)).toBe(`value of ${key}`);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
  const fail = () => {
    throw new Error('no');
  };
  expect(() => memory.recall('d', fail)).toThrow('no');
  expect(recall('d')).toBe('value of d');
});
