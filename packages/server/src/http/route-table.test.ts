import { describe, expect, test } from 'vitest';
import { createRouteTable } from './route-table.ts';

const table = createRouteTable<string>();
for (const [method, pattern] of [
  ['GET', '/'],
  ['GET', '/sessions'],
  ['GET', '/sessions/:id'],
  ['POST', '/sessions/online'],
  ['POST', '/sessions/online/:id/invoices'],
  ['GET', '/sessions/:id/invoices'],
  ['GET', '/sessions/:id/invoices/failed'],
  ['GET', '/sessions/:id/invoices/:invoice'],
  ['GET', '/docs/*'],
] as const)
  table.add(method, pattern, `${method} ${pattern}`);

describe('a path', () => {
  test.each([
    ['GET', '/', 'GET /'],
    ['GET', '/sessions', 'GET /sessions'],
    ['GET', '/sessions/', 'GET /sessions'],
    ['GET', '/sessions?pageSize=10', 'GET /sessions'],
    ['GET', '/sessions/?pageSize=/', 'GET /sessions'],
    ['POST', '/sessions/online', 'POST /sessions/online'],
    ['GET', '/sessions/online', 'GET /sessions/:id'],
    ['POST', '/sessions/online/1/invoices', 'POST /sessions/online/:id/invoices'],
    ['GET', '/sessions/online/invoices', 'GET /sessions/:id/invoices'],
    ['GET', '/sessions/1/invoices/failed', 'GET /sessions/:id/invoices/failed'],
    ['GET', '/sessions/1/invoices/2', 'GET /sessions/:id/invoices/:invoice'],
    ['GET', '/docs/a/b', 'GET /docs/*'],
  ])('%s %s is %s', (method, url, expected) => {
    expect(table.find(method, url)).toBe(expected);
  });

  test.each([
    ['POST', '/sessions'],
    ['GET', '/session'],
    ['GET', '/sessions//invoices'],
    ['GET', '/sessions/1/invoices/2/3'],
    ['GET', '/Sessions'],
    ['GET', '/docs'],
  ])('%s %s is none of them', (method, url) => {
    expect(table.find(method, url)).toBeUndefined();
  });

  test('knows the methods of every pattern that fits', () => {
    expect(table.methods('/sessions/online')).toEqual(['GET', 'POST']);
    expect(table.methods('/sessions/1/invoices')).toEqual(['GET']);
    expect(table.methods('/nothing')).toEqual([]);
  });
});
