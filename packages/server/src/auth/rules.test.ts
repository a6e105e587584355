import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { challengeState, isPastRetention, readPresentedToken } from './rules.ts';

describe('a challenge', () => {
  it('lives ten minutes, to the millisecond, once', () => {
    const challenge = { createdAt: 1_000, isConsumed: false };
    expect(challengeState(challenge, 1_000 + 600_000)).toBe('live');
    expect(challengeState(challenge, 1_001 + 600_000)).toBe('expired');
    expect(challengeState({ ...challenge, isConsumed: true }, 1_000)).toBe('used');
    expect(challengeState(undefined, 1_000)).toBe('unknown');
  });
});

it('a status is kept for seven days', () => {
  const days = 7 * 86_400_000;
  expect(isPastRetention({ startedAt: 5 }, days + 4)).toBe(false);
  expect(isPastRetention({ startedAt: 5 }, days + 5)).toBe(true);
});

describe('a decrypted token', () => {
  const reference = '20251010-EC-1DCE3E3000-12ECB5B36E-45';

  it('is read part by part, the internal identifier with its own hyphen', () => {
    expect(readPresentedToken(Buffer.from(`${reference}|internalId-5265877635-12345|secret|1752236636015`))).toEqual({
      reference,
      contextPart: 'internalId-5265877635-12345',
      secret: 'secret',
      timestampMs: 1_752_236_636_015,
    });
  });

  it('of any other bytes is none, and never an error', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => readPresentedToken(bytes) === undefined));
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => readPresentedToken(Buffer.from(text)) === undefined),
    );
    for (const text of [
      `${reference}|nip-1|s|-5`,
      `${reference}|nip-1|s|1 `,
      ` ${reference}|nip-1|s|1`,
      `${reference}|nip|s|1`,
    ])
      expect(readPresentedToken(Buffer.from(text)), text).toBeUndefined();
  });
});
