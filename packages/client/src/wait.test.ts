import { describe, expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { type Environment, systemEnvironment } from './environment.ts';
import { OperationFailed, type Status, statusText, WaitTimedOut, type Watched, waitFor } from './wait.ts';

/** Time that moves only by waiting. */
function time(): { environment: Environment; pauses: number[] } {
  let now = 0;
  const pauses: number[] = [];
  const wait = async (milliseconds: number) => {
    pauses.push(milliseconds);
    now += milliseconds;
  };
  return { pauses, environment: { ...systemEnvironment, now: () => now, wait } };
}

/** An operation that shows these states in turn, the last one for ever. */
function operation(...states: (number | ApiError)[]): Watched<Status> & { looks: () => number } {
  let looks = 0;
  return {
    operation: 'export',
    referenceNumber: 'X',
    statusOf: (status) => status,
    looks: () => looks,
    read: async () => {
      const state = states[Math.min(looks, states.length - 1)]!;
      looks += 1;
      if (typeof state !== 'number') throw state;
      return { code: state, description: `state ${state}`, ...(state > 200 && { details: ['why'] }) };
    },
  };
}

const tooMany = (retryAfter?: number) => new ApiError(429, { summary: 'slowly', retryAfter });

describe('waiting', () => {
  test('ends with success; pauses grow by half up to the longest', async () => {
    const { environment, pauses } = time();
    const answer = await waitFor(environment, operation(100, 150, 170, 100, 100, 200), { longestPauseMs: 300 });
    expect(answer.code).toBe(200);
    expect(pauses).toEqual([100, 150, 225, 300, 300]);
  });

  test('does not pause when it is over already', async () => {
    const { environment, pauses } = time();
    await waitFor(environment, operation(200));
    expect(pauses).toEqual([]);
  });

  test('a failure throws its status with the details', async () => {
    const error = await waitFor(time().environment, operation(100, 450)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(OperationFailed);
    expect((error as Error).message).toBe('The export X failed: 450 state 450 - why');
  });

  test('the deadline: a last look exactly then, and no pause beyond it', async () => {
    const { environment, pauses } = time();
    const endless = operation(100);
    const error = await waitFor(environment, endless, { timeoutMs: 1_000, firstPauseMs: 400 }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(WaitTimedOut);
    expect((error as Error).message).toBe('The export X did not end within 1 s; it stands at 100 state 100');
    expect(pauses).toEqual([400, 600]);
    expect(endless.looks()).toBe(3);
  });

  test('429 is waited for as long as the service asks, when there is time for it', async () => {
    const { environment, pauses } = time();
    await waitFor(environment, operation(tooMany(9), tooMany(), 200));
    expect(pauses).toEqual([9_000, 1_000]);
    const late = waitFor(time().environment, operation(tooMany(200)), { timeoutMs: 60_000 });
    await expect(late).rejects.toBeInstanceOf(WaitTimedOut);
  });

  test('any other error is handed on at once', async () => {
    const refused = operation(new ApiError(403, { summary: 'no' }), 200);
    await expect(waitFor(time().environment, refused)).rejects.toMatchObject({ status: 403 });
    expect(refused.looks()).toBe(1);
  });

  test('a status as text', () => {
    expect(statusText({ code: 440, description: 'Duplikat', details: ['a', 'b'] })).toBe('440 Duplikat - a - b');
  });
});
