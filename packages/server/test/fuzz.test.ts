import { isErrorCode } from '@kwit/contract/errors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { logIn } from './support/actors.ts';
import { answerChecker, type OpenApiDocument } from './support/check-answer.ts';
import { type HostileRequest, hostileRequests, wireBytes, wrongAtEveryProperty } from './support/hostile-requests.ts';
import { exchangeRaw, type RawAnswer } from './support/raw-http.ts';
import { startTestService } from './support/service.ts';

/** Another seed gives other requests; a failing one is printed with its seed. */
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_706);
const RUNS = Number(process.env.FUZZ_RUNS ?? 1_000);
/** Each property gets every nth of the wrong values; 1 for all of them. */
const EVERY = Number(process.env.FUZZ_EVERY ?? 4);
const AT_ONCE = 8;

const service = await startTestService();
const actor = await logIn(service, '5265877635');
const tokens = { access: actor.token, refresh: actor.refreshToken };
const document = (await service.request('GET', '/openapi.json')).json as OpenApiDocument;
const checker = answerChecker(document);
const { host } = new URL(service.url);

function codesOf(body: unknown): number[] {
  const { exception, errors } = body as {
    exception?: { exceptionDetailList: { exceptionCode: number }[] };
    errors?: { code: number }[];
  };
  return [...(exception?.exceptionDetailList.map((e) => e.exceptionCode) ?? []), ...(errors?.map((e) => e.code) ?? [])];
}

/** What is wrong with the answer to a hostile request. */
function problemsOf(request: HostileRequest, answer: RawAnswer): string[] {
  const { status, body } = answer;
  if (status >= 500) return [`${status}: ${service.logged.findLast((line) => line.includes('unexpected error'))}`];
  // Answers to HEAD have no body to look at.
  if (request.method === 'HEAD') return [];
  const found = checker.operationAt(request.method, request.path);
  // Pages are for people, and only where links lead to them; what stands in them is tested with them.
  const isPage = String(answer.headers['content-type']).startsWith('text/html');
  if (isPage && !/\/(?:invoice|certificate)\//.test(request.path)) return [`${status} with a page`];
  if (status === 400 && !isPage) {
    const json = JSON.parse(String(body) || '{}');
    // Verification links have a word of their own for what is no link.
    const codes = json.error === 'malformed-link' && request.path.includes('/certificate/') ? [21405] : codesOf(json);
    if (codes.length === 0 || !codes.every(isErrorCode)) return [`400 with the codes ${codes}`];
    const named = `${found?.operation.operationId}: `;
    const strange = found && codes.filter((code) => code !== 21405 && !describes(found.operation, code));
    if (strange && strange.length > 0) return [`${named}400 with ${strange}, which the document does not name`];
  }
  // Paths outside the document: the frame's statuses without a body, or what stands beside the interface.
  if (!found)
    return status < 300 || [404, 405, 406].includes(status) || status === 400 ? [] : [`${status} outside the document`];
  return checker.problems(request.method, request.path, { status, contentType: answer.headers['content-type'], body });
}

function describes(operation: object, code: number): boolean {
  return String((operation as { description?: string }).description ?? '').includes(String(code));
}

/** Sends all and gives the statuses; throws with everything needed to repeat what went wrong. */
async function sendAll(requests: readonly HostileRequest[]): Promise<Map<number, number>> {
  const failures: string[] = [];
  const statuses = new Map<number, number>();
  const queue = [...requests];
  async function worker(): Promise<void> {
    for (let request = queue.shift(); request !== undefined; request = queue.shift()) {
      const { sort, method, path, headers, body } = request;
      const shown = `${sort}\n  ${method} ${path.slice(0, 300)}\n  ${JSON.stringify(headers).slice(0, 600)}\n  ${String(body).slice(0, 600)}`;
      try {
        const { answers, rest } = await exchangeRaw(service.url, wireBytes(request, host));
        const [answer] = answers;
        if (answer === undefined && method !== 'HEAD')
          failures.push(`no answer to ${shown} but ${rest.subarray(0, 200)}`);
        else if (answer) {
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          for (const problem of problemsOf(request, answer)) failures.push(`${problem}\n  ${shown}`);
        }
      } catch (error) {
        failures.push(`${(error as Error).message} for ${shown}`);
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failures.length > 0) {
    throw new Error(
      `seed ${SEED}: ${failures.length} of ${requests.length} requests went wrong\n${failures.slice(0, 5).join('\n')}`,
    );
  }
  return statuses;
}

describe(`malformed requests made from the OpenAPI document (FUZZ_SEED=${SEED})`, () => {
  test('every wrong value at every property gives an answer of the catalogue', { timeout: 120_000 }, async () => {
    const requests = wrongAtEveryProperty(document, tokens, { seed: SEED, every: EVERY });
    expect(requests.length).toBeGreaterThan(1_000);
    const statuses = await sendAll(requests);
    // The token is good and the paths are right: the bodies were read.
    expect(statuses.get(400)).toBeGreaterThan(requests.length / 2);
    expect(statuses.has(401)).toBe(false);
  });

  test('whatever is spoilt at random gives an answer of the catalogue', { timeout: 120_000 }, async () => {
    const requests = fc.sample(hostileRequests(document, tokens), { seed: SEED, numRuns: RUNS });
    const statuses = await sendAll(requests);
    expect([...statuses.keys()].sort()).toEqual(expect.arrayContaining([400, 401, 404, 405, 406, 415]));
  });

  test('afterwards the service is well and the token still works', async () => {
    expect((await service.request('GET', '/health/live')).status).toBe(200);
    const headers = { authorization: `Bearer ${actor.token}` };
    expect((await service.request('GET', '/sessions?sessionType=Online', { headers })).status).toBe(200);
  });
});
