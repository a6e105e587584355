import { describe, expect, it } from 'vitest';
import { gather } from './gather.ts';

/** A batch that ends when the test says so. */
function held() {
  const batches: { inputs: readonly string[]; end(error?: unknown): void }[] = [];
  const run = (inputs: readonly string[]) =>
    new Promise<readonly string[]>((resolve, reject) => {
      const end = (error?: unknown) => (error === undefined ? resolve(inputs.map((i) => `${i}!`)) : reject(error));
      batches.push({ inputs, end });
    });
  return { batches, run };
}

/** Until everything that was promised has happened. */
const next = () => new Promise((resolve) => setImmediate(resolve));

describe('gathering', () => {
  it('the first goes at once, those that come meanwhile go together, each gets its own output', async () => {
    const { batches, run } = held();
    const ask = gather(run, { most: 3, atOnce: 1 });
    const answers = ['a', 'b', 'c', 'd', 'e'].map(ask);
    expect(batches.map(({ inputs }) => inputs)).toEqual([['a']]);
    batches[0]?.end();
    await next();
    expect(batches[1]?.inputs).toEqual(['b', 'c', 'd']);
    batches[1]?.end();
    await next();
    batches[2]?.end();
    expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!']);
  });

  it('a batch that the server refuses is taken apart, so that one bad input fails alone', async () => {
    const refused = Object.assign(new Error('bad value'), { code: '22021' });
    const ask = gather(
      async (inputs: readonly string[]) => {
        if (inputs.includes('bad')) throw refused;
        return inputs;
      },
      { atOnce: 1 },
    );
    const answers = await Promise.allSettled(['a', 'b', 'bad', 'c'].map(ask));
    expect(answers.map((a) => (a.status === 'fulfilled' ? a.value : a.reason))).toEqual(['a', 'b', refused, 'c']);
  });

  it('a lost connection fails all of a batch and is not repeated: it may have been committed', async () => {
    const { batches, run } = held();
    const ask = gather(run, { atOnce: 1 });
    const answers = ['a', 'b', 'c'].map(ask);
    batches[0]?.end();
    await next();
    batches[1]?.end(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    for (const answer of answers.slice(1)) await expect(answer).rejects.toThrow('gone');
    expect(batches).toHaveLength(2);
  });
});
