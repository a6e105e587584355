import { describe, expect, it } from 'vitest';
import { allEndpoints } from './all-endpoints.ts';
import { isErrorCode } from './errors.ts';
import { PUBLIC_RATE_GROUP, RATE_GROUPS } from './limits.ts';
import { ACCESS } from './permissions.ts';

describe('all endpoints', () => {
  it('have one id and one route each', () => {
    const ids = allEndpoints.map((endpoint) => endpoint.id);
    const routes = allEndpoints.map((endpoint) => `${endpoint.method} ${endpoint.path}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(routes).size).toBe(routes.length);
  });

  it.each(
    // Signed links are outside of the published list: their signature is the credential, and nothing counts them.
    allEndpoints
      .filter((endpoint) => !endpoint.path.startsWith('/storage/'))
      .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const),
  )('%s agrees with the matrix, the catalogue and the rate groups', (route, endpoint) => {
    const row = (ACCESS as Readonly<Record<string, object>>)[route];
    expect(row).toBeDefined();
    expect(endpoint).toMatchObject(row!);
    expect(endpoint.codes.filter((code) => !isErrorCode(code))).toEqual([]);
    expect([...RATE_GROUPS, PUBLIC_RATE_GROUP]).toContain(endpoint.rateGroup);
    expect(endpoint.path).not.toMatch(/ksef|\{|\/$/);
  });

  it('links ask for no token and are free of request limits', () => {
    for (const endpoint of allEndpoints.filter((e) => e.path.startsWith('/storage/'))) {
      expect(endpoint).toMatchObject({ credential: 'none', rateGroup: 'none', hidden: true });
    }
  });

  it.each(
    allEndpoints.map((endpoint) => [endpoint.id, endpoint] as const),
  )('%s declares the parameters of its path', (_, endpoint) => {
    const named = [...endpoint.path.matchAll(/:([A-Za-z]+)/g)].map((match) => match[1]).sort();
    const declared = (endpoint.params as { properties?: object } | undefined)?.properties ?? {};
    expect(Object.keys(declared).sort()).toEqual(named);
  });
});
