import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from './endpoint.ts';
import { ACCESS, type Access, holds, holdsAny, OWNER_PERMISSIONS, PERMISSIONS } from './permissions.ts';

/**
 * The matrix once more, in another form: one line per endpoint that asks for a permission, one column per permission.
 * The table of the contract lists names; this one marks cells. A slip in either shows as a difference.
 */
const CELLS = `
                                                                        IW IR CM CR SM IN EO VU PW
POST /permissions/persons/grants                                        .  .  x  .  .  .  .  .  .
POST /permissions/entities/grants                                       .  .  x  .  .  .  .  .  .
POST /permissions/authorizations/grants                                 .  .  x  .  .  .  .  .  .
POST /permissions/indirect/grants                                       .  .  x  .  .  .  .  .  .
POST /permissions/subunits/grants                                       .  .  .  .  x  .  .  .  .
POST /permissions/eu-entities/administration/grants                     .  .  x  .  .  .  .  .  .
POST /permissions/eu-entities/grants                                    .  .  .  .  .  .  .  x  .
DELETE /permissions/common/grants/:permissionId                         .  .  x  .  x  .  .  x  .
DELETE /permissions/authorizations/grants/:permissionId                 .  .  x  .  .  .  .  .  .
GET /permissions/attachments/status                                     .  .  x  x  .  .  .  .  .
POST /permissions/query/persons/grants                                  .  .  x  x  x  .  .  .  .
POST /permissions/query/subunits/grants                                 .  .  x  x  x  .  .  .  .
POST /permissions/query/entities/grants                                 .  .  x  x  .  .  .  .  .
GET /permissions/query/entities/roles                                   .  .  x  x  .  .  .  .  .
POST /permissions/query/subordinate-entities/roles                      .  .  x  x  x  .  .  .  .
POST /permissions/query/authorizations/grants                           .  .  x  x  .  .  .  .  x
POST /permissions/query/eu-entities/grants                              .  .  x  x  .  .  .  x  .
POST /sessions/online                                                   x  .  .  .  .  .  x  .  x
POST /sessions/online/:referenceNumber/invoices                         x  .  .  .  .  .  x  .  x
POST /sessions/online/:referenceNumber/close                            x  .  .  .  .  .  x  .  x
POST /sessions/batch                                                    x  .  .  .  .  .  x  .  .
POST /sessions/batch/:referenceNumber/close                             x  .  .  .  .  .  x  .  .
GET /sessions                                                           x  .  .  .  .  x  x  .  .
GET /sessions/:referenceNumber                                          x  .  .  .  .  x  x  .  x
GET /sessions/:referenceNumber/invoices                                 x  .  .  .  .  x  x  .  x
GET /sessions/:referenceNumber/invoices/failed                          x  .  .  .  .  x  x  .  x
GET /sessions/:referenceNumber/invoices/:invoiceReferenceNumber         x  .  .  .  .  x  x  .  x
GET /sessions/:referenceNumber/invoices/svc/:svcNumber/upo              x  .  .  .  .  x  x  .  x
GET /sessions/:referenceNumber/invoices/:invoiceReferenceNumber/upo     x  .  .  .  .  x  x  .  x
GET /sessions/:referenceNumber/upo/:upoReferenceNumber                  x  .  .  .  .  x  x  .  x
GET /invoices/svc/:svcNumber                                            .  x  .  .  .  .  .  .  .
POST /invoices/query/metadata                                           .  x  .  .  .  .  .  .  .
POST /invoices/exports                                                  .  x  .  .  .  .  .  .  .
GET /invoices/exports/:referenceNumber                                  .  x  .  .  .  .  .  .  .
`;

const guarded = new Map(
  CELLS.trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [method, path, ...marks] = line.split(/\s+/);
      return [`${method} ${path}`, PERMISSIONS.filter((_, column) => marks[column] === 'x')];
    }),
);
const table: Readonly<Record<string, Access>> = ACCESS;

describe('the matrix of endpoints and permissions', () => {
  it('marks exactly the endpoints that ask for a permission', () => {
    const asking = Object.keys(table).filter((key) => table[key]!.anyOf.length > 0);
    expect(asking.toSorted()).toEqual([...guarded.keys()].toSorted());
  });

  describe.each(Object.keys(table))('%s', (key) => {
    const wanted = guarded.get(key) ?? PERMISSIONS;
    it.each(PERMISSIONS)('with %s alone', (permission) => {
      expect(holdsAny([permission], table[key]!.anyOf)).toBe(wanted.includes(permission));
    });

    it('with everything but what it asks for, and with nothing', () => {
      const others = PERMISSIONS.filter((p) => !wanted.includes(p));
      const free = !guarded.has(key);
      expect(holdsAny(others, table[key]!.anyOf)).toBe(free);
      expect(holdsAny([], table[key]!.anyOf)).toBe(free);
    });

    it('as owner', () => {
      const contained = wanted.some((p) => (OWNER_PERMISSIONS as readonly string[]).includes(p));
      expect(holdsAny(['Owner'], table[key]!.anyOf)).toBe(contained);
    });
  });

  it('gives an owner neither EU administration, nor Peppol, nor enforcement', () => {
    expect(PERMISSIONS.filter((p) => !holds(['Owner'], p))).toEqual([
      'EnforcementOperations',
      'VatUeManage',
      'PefInvoiceWrite',
    ]);
  });
});

describe('every endpoint of the contract', async () => {
  const folder = new URL('.', import.meta.url);
  const modules = readdirSync(folder).filter((name) => /endpoints\.ts$/.test(name));
  const endpoints: Endpoint[] = [];
  for (const name of modules) {
    const exports: Record<string, unknown> = await import(new URL(name, folder).href);
    for (const value of Object.values(exports)) if (isEndpoint(value)) endpoints.push(value);
  }

  // Links that the service hands out carry their own signature; no token and no permission is asked for.
  const isLink = (e: Endpoint) => e.path.startsWith('/storage/');
  const named = (some: Endpoint[]) => some.map((e) => [`${e.method} ${e.path}`, e] as const);
  it.each(named(endpoints.filter(isLink)))('%s is guarded by its link', (_, e) => {
    expect([e.credential, e.anyOf]).toEqual(['none', []]);
  });

  it.each(named(endpoints.filter((e) => !isLink(e))))('%s takes its guard from the matrix', (key, e) => {
    const row = table[key];
    expect(row, `${key} has no row in the matrix`).toBeDefined();
    expect({
      credential: e.credential,
      anyOf: e.anyOf,
      closedToContexts: e.closedToContexts ?? [],
      signatureLoginOnly: e.signatureLoginOnly ?? false,
      testOnly: e.testOnly ?? false,
    }).toEqual({
      credential: row!.credential,
      anyOf: row!.anyOf,
      closedToContexts: row!.closedToContexts ?? [],
      signatureLoginOnly: row!.signatureLoginOnly ?? false,
      testOnly: row!.testOnly ?? false,
    });
  });

  it('has a name of its own', () => {
    const ids = endpoints.map((e) => e.id);
    expect(ids).toEqual([...new Set(ids)]);
  });
});

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'credential' in value && 'method' in value && 'path' in value;
}
