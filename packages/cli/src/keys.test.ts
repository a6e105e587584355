import { ManualClock } from '@kwit/server/platform/clock';
import { masterKeyFrom } from '@kwit/server/platform/keys/master-key';
import { openKeyRing } from '@kwit/server/platform/keys/open-key-ring';
import { silentLog } from '@kwit/server/platform/log-sink';
import { systemRandom as random } from '@kwit/server/platform/random';
import { beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../server/test/support/database.ts';
import { parseDuration } from './duration.ts';
import { type KeysCommand, runKeys } from './keys.ts';

const clock = new ManualClock('2026-03-01T12:00:00Z');
const masterKey = masterKeyFrom(Buffer.alloc(32, 9), 'a test', random);
let command: Omit<KeysCommand, 'out'>;

async function kwitKeys(...args: string[]): Promise<{ code: number; said: string }> {
  const lines: string[] = [];
  const code = await runKeys(args, { ...command, out: (line) => lines.push(line) });
  return { code, said: lines.join('\n') };
}

interface Listed {
  id: string;
  purpose: string;
  state: string;
  publicKeyId?: string;
  validTo?: string;
}
const listed = async (...args: string[]): Promise<Listed[]> =>
  JSON.parse((await kwitKeys('list', '--json', ...args)).said) as Listed[];
const ofTokens = async () => (await listed('--all')).filter((key) => key.purpose === 'TokenEncryption');

beforeAll(async () => {
  const database = await testDatabase();
  command = { database, masterKey, clock, random };
});

describe('kwit keys', () => {
  it('says so while there are none', async () => {
    expect(await kwitKeys('list')).toEqual({
      code: 0,
      said: 'There are no keys yet; the service makes them at its first start.',
    });
    const ring = await openKeyRing({ ...command, log: silentLog });
    await ring.close();
  });

  it('lists one line a key, in columns, and nothing secret', async () => {
    const { code, said } = await kwitKeys('list');
    const lines = said.split('\n');
    expect(code).toBe(0);
    expect(lines).toHaveLength(7);
    const column = lines[0]?.indexOf('STATE') as number;
    for (const line of lines.slice(1)) expect(line.slice(column)).toMatch(/^active /);
    expect(said).toMatch(/TokenEncryption +active +rsa-2048 +2026-03-01 to 2028-03-01 +[A-Za-z0-9+/]{43}= /);
  });

  it('rotates, re-certifies and withdraws', async () => {
    const [first] = await ofTokens();
    clock.advance(60_000);
    const rotated = await kwitKeys('rotate', 'TokenEncryption', '--retire-old-after', '36h', '--algorithm', 'ec');
    expect(rotated.code).toBe(0);
    expect(rotated.said).toContain(`The old key ${first?.id} stays accepted until 2026-03-03T00:01:00Z.`);
    expect((await ofTokens()).map((key) => key.state)).toEqual(['active', 'retiring']);

    clock.advance(86_400_000);
    const [second] = await ofTokens();
    const again = await kwitKeys('recertify', second?.publicKeyId as string);
    expect(again.code).toBe(0);
    const [after] = await ofTokens();
    expect(after?.publicKeyId).toBe(second?.publicKeyId);
    expect(after?.validTo).toBe('2028-03-02T12:01:00Z');

    const gone = await kwitKeys('withdraw', (second?.id as string).slice(0, 8));
    expect(gone.code).toBe(0);
    expect(gone.said).toContain('a new key took its place');
    expect((await ofTokens()).map((key) => key.state)).toEqual(['active', 'withdrawn', 'retiring']);
    expect((await listed()).filter((key) => key.purpose === 'TokenEncryption')).toHaveLength(2);
  });

  it.each([
    ['no command', [], 2, 'Usage: kwit keys'],
    ['--help', ['--help'], 0, 'Usage: kwit keys'],
    ['help of a command', ['rotate', '--help'], 0, '--retire-old-after'],
    ['an unknown command', ['burn'], 2, "no command 'keys burn'"],
    ['an unknown option', ['list', '--secret'], 2, '--secret'],
    ['a missing purpose', ['rotate'], 2, 'needs a purpose'],
    ['an unknown purpose', ['rotate', 'Everything'], 2, "'Everything' is no purpose"],
    ['an unknown algorithm', ['rotate', 'TokenEncryption', '--algorithm', 'constructor'], 2, 'rsa or ec'],
    ['a bad time', ['rotate', 'TokenEncryption', '--retire-old-after', 'soon'], 2, "not 'soon'"],
    ['too much', ['withdraw', 'a', 'b'], 2, "not also 'b'"],
    ['an algorithm that does not fit', ['rotate', 'LinkSigning', '--algorithm', 'rsa'], 1, 'can be hmac-256'],
    ['an unknown key', ['withdraw', '00000000'], 1, "no key '00000000'"],
    ['a secret to certify', ['recertify', 'LinkSigning'], 1, 'has no certificate'],
  ])('answers %s in words', async (_, args, code, words) => {
    const answer = await kwitKeys(...args);
    expect(answer.code).toBe(code);
    expect(answer.said).toContain(words);
  });

  it('with the wrong master key refuses to change anything and says why', async () => {
    const wrong = masterKeyFrom(Buffer.alloc(32, 1), 'the file here', random);
    const lines: string[] = [];
    const code = await runKeys(['rotate', 'LinkSigning'], {
      ...command,
      masterKey: wrong,
      out: (line) => lines.push(line),
    });
    expect(code).toBe(1);
    expect(lines.join()).toContain('the file here');
  });
});

describe('times', () => {
  it.each([
    ['0', 0],
    ['90s', 90_000],
    ['15m', 900_000],
    ['36h', 129_600_000],
    ['30d', 2_592_000_000],
    ['30', undefined],
    ['-1d', undefined],
    ['1.5h', undefined],
    ['9999d', undefined],
    ['', undefined],
  ])('%s', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });
});
