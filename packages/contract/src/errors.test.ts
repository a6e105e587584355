import { describe, expect, it } from 'vitest';
import { ERRORS, errorEntry, isErrorCode } from './errors.ts';
import { FORBIDDEN_DETAILS, FORBIDDEN_REASONS, rateLimitText } from './problem-texts.ts';

/** The codes as the interface lists them, written down a second time. */
const CODES = [
  9101, 9102, 9103, 9105, 21001, 21111, 21115, 21117, 21154, 21155, 21157, 21161, 21164, 21165, 21166, 21167, 21173,
  21175, 21178, 21180, 21181, 21182, 21183, 21205, 21208, 21217, 21301, 21304, 21308, 21401, 21402, 21403, 21405, 21406,
  21418, 21470, 25001, 25002, 25003, 25004, 25005, 25006, 25007, 25008, 25009, 25010, 25011, 26001, 26002, 30001, 429,
  500,
];

describe('error catalogue', () => {
  it('holds exactly the codes of the interface', () => {
    expect(
      Object.keys(ERRORS)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual([...CODES].sort((a, b) => a - b));
  });

  it.each(CODES)('%i has a text, a reason and a status', (code) => {
    const entry = errorEntry(code);
    expect(entry.text.trim()).toBe(entry.text);
    expect(entry.text).not.toBe('');
    expect(entry.when).not.toBe('');
    expect(entry.http).toBe(code === 429 ? 429 : code === 500 ? 500 : 400);
  });

  it('gives every 400 its own sentence, ended by a full stop', () => {
    const texts = CODES.filter((code) => code !== 429).map((code) => errorEntry(code).text);
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(text).toMatch(/\.$/);
  });

  it('names the service only in 21165, as a placeholder', () => {
    const named = CODES.filter((code) => errorEntry(code).text.includes('{SVC}'));
    expect(named).toEqual([21165]);
  });

  it('refuses codes it does not know', () => {
    expect(isErrorCode(21405)).toBe(true);
    expect(isErrorCode(21404)).toBe(false);
    expect(() => errorEntry(21404)).toThrow('21404');
  });
});

describe('texts of problem details', () => {
  it('has a detail for each of the six reasons', () => {
    expect(FORBIDDEN_REASONS).toHaveLength(6);
    expect(new Set(Object.values(FORBIDDEN_DETAILS)).size).toBe(6);
  });

  it.each([
    [20, 'minute', 30, 'Przekroczono limit 20 żądań na minutę. Spróbuj ponownie po 30 sekundach.'],
    [10, 'second', 1, 'Przekroczono limit 10 żądań na sekundę. Spróbuj ponownie po 1 sekundach.'],
    [120, 'hour', 2680, 'Przekroczono limit 120 żądań na godzinę. Spróbuj ponownie po 2680 sekundach.'],
  ] as const)('tells of %i per %s', (threshold, window, seconds, text) => {
    expect(rateLimitText(threshold, window, seconds)).toBe(text);
  });
});
