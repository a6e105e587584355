import fc from 'fast-check';
import type { Json, OpenApiDocument, Operation, Parameter } from './check-answer.ts';
import { placesOf, valuesOf, withValueAt } from './schema-values.ts';

/** A request as bytes on the wire, with the sort of malice it carries. */
export interface HostileRequest {
  sort: string;
  method: string;
  path: string;
  headers: readonly (readonly [string, string])[];
  body: Buffer | undefined;
}

export interface Tokens {
  access: string;
  refresh: string;
}

export interface Target {
  method: string;
  template: string;
  operation: Operation;
  body: Json | undefined;
  media: string | undefined;
}

/** Values that are wrong nearly everywhere; each stands at every property of every body once. */
export const WRONG_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x'.repeat(70_000),
  [],
  [[[[]]]],
  [null],
  {},
  { length: 3 },
  '2026-02-30T25:61:61Z',
  '+275760-09-13T00:00:00.001Z',
  "'; drop table sessions; --",
  '../../etc/passwd',
  '{0}{SVC}%s%n',
  '\u202e\u2066ﷺ\ufffd',
];

const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Bodies that are no JSON, or JSON nobody should write. */
const BROKEN_BODIES: readonly (readonly [string, string | Buffer])[] = [
  ['truncated', '{"challenge": "abc'],
  ['trailing garbage', '{} {}'],
  ['comment', '{/* */}'],
  ['single quotes', "{'a': 1}"],
  ['NaN', '{"pageSize": NaN}'],
  ['number out of range', '{"invoiceSize": 1e999, "fileSize": -1e999}'],
  ['number of 10,000 digits', `{"invoiceSize": ${'9'.repeat(10_000)}}`],
  ['a list', '[]'],
  ['a text', '"text"'],
  ['a number', '0'],
  ['null', 'null'],
  ['byte order mark', '\ufeff{}'],
  ['UTF-16', Buffer.from('{}', 'utf16le')],
  ['no UTF-8', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
  ['NUL', '\u0000'],
  ['blanks', ' \r\n\t '],
  ['raw control characters', '{"a": "\u0001"}'],
  ['100,000 levels of lists', deep(100_000)],
  ['100,000 levels of objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['100,000 properties', JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`p${i}`, i])))],
  [
    'prototype',
    '{"__proto__": {"admin": true}, "constructor": {"prototype": {"x": 1}}, "toString": 1, "hasOwnProperty": 1}',
  ],
];

const BAD_SEGMENTS = [
  '%',
  '%zz',
  '%00',
  '%ff',
  '%c0%ae',
  '%2e%2e%2fetc',
  '..',
  '.',
  '%2F',
  '%5c',
  '__proto__',
  'constructor',
  '{x}',
  '%F0%9F%92%A9',
  '%ED%A0%80',
  'a'.repeat(3_000),
  "'",
  '%27%3B--',
  '%0d%0aX-Injected:%201',
  '*',
  ':x',
] as const;

const BAD_QUERIES = [
  '?',
  '?&&&',
  '?=',
  '?%',
  '?%zz=%zz',
  '?a=%00',
  '?__proto__=1&constructor=2',
  '?a[]=1&a[b][c]=2',
  '?a=%ff',
  `?${'a=1&'.repeat(2_000)}`,
  `?a=${'x'.repeat(6_000)}`,
] as const;

const BAD_NUMBERS = [
  '-1',
  '0',
  '1e9',
  '0x10',
  '99999999999999999999',
  'NaN',
  'Infinity',
  '1.5',
  '',
  '%20',
  '%2B5',
  '10;',
  '10%00',
  'ten',
] as const;

const BAD_HEADERS: readonly (readonly [string, string])[] = [
  ['Accept', 'image/png'],
  ['Accept', 'text/html, */*;q=0.1'],
  ['Accept', ';;;,,,'],
  ['Accept', 'x'.repeat(5_000)],
  ['Content-Type', 'text/plain'],
  ['Content-Type', 'application/xml'],
  ['Content-Type', 'application/json; charset=utf-16'],
  ['Content-Type', 'application/json; charset="'],
  ['Content-Type', ';'],
  ['Content-Type', '\u00ff\u00fe'],
  ['Content-Type', 'multipart/form-data; boundary='],
  ['Content-Encoding', 'gzip'],
  ['X-Error-Format', 'xml'],
  ['X-Error-Format', 'problem-details, problem-details'],
  ['X-Continuation-Token', 'garbage'],
  ['X-Continuation-Token', '%00'],
  ['X-Continuation-Token', 'eyJhIjoxfQ.'.repeat(300)],
  ['X-Svc-Feature', ',,,;=,__proto__'],
  ['X-Test-System-Warning', '\u0080\u00ff \t x'],
  ['X-Forwarded-For', '999.999.999.999, ::ffff:zz'],
  ['X-Forwarded-Host', '"><script>'],
  ['traceparent', '00-00000000000000000000000000000000-0000000000000000-00'],
  ['Host', '"><script>'],
  ['Range', 'bytes=9-0,-1'],
  ['If-None-Match', '*'],
  ['Upgrade', 'websocket'],
  ['Expect', '100-continue'],
];

export function targetsOf(document: OpenApiDocument): Target[] {
  return Object.entries(document.paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const [media, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
      const body = media === 'application/json' ? content?.schema : undefined;
      return { method: method.toUpperCase(), template, operation, body, media };
    }),
  );
}

/** Path with parameters that the document allows, so that the malice elsewhere is reached. */
export function pathOf(target: Target): fc.Arbitrary<string> {
  const parameters = target.operation.parameters.filter((p): p is Parameter => 'in' in p && p.in === 'path');
  return fc
    .tuple(...parameters.map((p) => valuesOf(p.schema)))
    .map((values) =>
      parameters.reduce(
        (path, p, i) => path.replace(`{${p.name}}`, encodeURIComponent(String(values[i]))),
        target.template,
      ),
    );
}

/**
 * Wrong values at every property of every body, with a valid token: what the schemas must catch. With `every` above 1 each
 * property gets that part of the values, a different one than its neighbour.
 */
export function wrongAtEveryProperty(
  document: OpenApiDocument,
  tokens: Tokens,
  { seed, every }: { seed: number; every: number },
): HostileRequest[] {
  let turn = 0;
  return targetsOf(document).flatMap((target) => {
    const { body } = target;
    if (body === undefined) return [];
    const [sample] = fc.sample(fc.tuple(pathOf(target), valuesOf(body)), { seed, numRuns: 1 });
    const [path, value] = sample as [string, unknown];
    return placesOf(body).flatMap((place, at) => {
      turn += 1;
      return WRONG_VALUES.filter((_, index) => (index + turn) % every === 0).map((wrong, index) => ({
        sort: `${JSON.stringify(wrong)?.slice(0, 30)} at ${place.join('.')}`,
        method: target.method,
        path,
        headers: [
          ['Authorization', `Bearer ${tokens.access}`],
          ['Content-Type', 'application/json'],
          ...((at + index) % 2 === 0 ? [['X-Error-Format', 'problem-details'] as const] : []),
        ] as const,
        body: Buffer.from(JSON.stringify(withValueAt(value, place, wrong))),
      }));
    });
  });
}

/** Malformed requests of every sort, drawn at random. */
export function hostileRequests(document: OpenApiDocument, tokens: Tokens): fc.Arbitrary<HostileRequest> {
  const targets = targetsOf(document);
  const format = fc.constantFrom<readonly (readonly [string, string])[]>([], [['X-Error-Format', 'problem-details']]);
  return fc
    .tuple(fc.constantFrom(...targets), fc.constantFrom(...SORTS), format, authorizations(tokens))
    .chain(([target, sort, formatHeader, authorization]) =>
      fc.tuple(pathOf(target), bodyOf(target)).chain(([path, body]) =>
        sort(
          {
            sort: sort.name,
            method: target.method,
            path,
            headers: [
              ...formatHeader,
              ...authorization,
              ...(target.media ? [['Content-Type', target.media] as const] : []),
            ],
            body,
          },
          target,
        ),
      ),
    );
}

function bodyOf(target: Target): fc.Arbitrary<Buffer | undefined> {
  if (target.body) return valuesOf(target.body).map((value) => Buffer.from(JSON.stringify(value)));
  return fc.constant(target.media ? Buffer.from('<AuthTokenRequest/>') : undefined);
}

function authorizations(tokens: Tokens): fc.Arbitrary<readonly (readonly [string, string])[]> {
  const valid = `Bearer ${tokens.access}`;
  const [head = '', claims = ''] = tokens.access.split('.');
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  const bad = [
    'Bearer',
    'Bearer a.b.c',
    'Basic dXNlcjpwYXNz',
    `Bearer ${head}.${claims}.`,
    `Bearer ${none}.${claims}.`,
    `Bearer ${tokens.access.slice(0, -2)}`,
    `Bearer ${tokens.refresh}`,
    `Bearer ${'a'.repeat(6_000)}`,
    `Bearer ${head}.${Buffer.from('{"__proto__":1}').toString('base64url')}.x`,
    'Bearer \u00ff\u00fe',
    `${valid}, ${valid}`,
  ];
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant([['Authorization', valid] as const]) },
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.constantFrom(...bad).map((value) => [['Authorization', value] as const]) },
  );
}

type Sort = (request: HostileRequest, target: Target) => fc.Arbitrary<HostileRequest>;

/** The sorts of malice; each spoils one side of a request that is otherwise as the document wants it. */
const SORTS: readonly Sort[] = [
  function brokenBody(request) {
    return fc
      .constantFrom(...BROKEN_BODIES)
      .map(([what, body]) => ({ ...request, sort: `body: ${what}`, body: Buffer.from(body) }));
  },
  function brokenBytes(request) {
    const body = request.body ?? Buffer.from('{}');
    return fc.tuple(fc.nat(body.length), fc.uint8Array({ minLength: 1, maxLength: 8 })).map(([at, bytes]) => ({
      ...request,
      body: Buffer.concat([body.subarray(0, at), bytes, body.subarray(at + bytes.length)]),
    }));
  },
  function anyJson(request) {
    return fc.json({ maxDepth: 5, stringUnit: 'binary' }).map((text) => ({ ...request, body: Buffer.from(text) }));
  },
  function hostileMember(request, { body }) {
    const places = body ? placesOf(body) : [];
    if (places.length === 0) return fc.constant(request);
    return fc
      .tuple(
        fc.constantFrom(...places),
        fc.oneof(fc.constantFrom(...WRONG_VALUES), fc.jsonValue(), fc.double(), fc.string({ unit: 'binary' })),
      )
      .map(([place, wrong]) => ({
        ...request,
        body: Buffer.from(JSON.stringify(withValueAt(JSON.parse(String(request.body)), place, wrong))),
      }));
  },
  function deepMember(request, { body }) {
    const places = body ? placesOf(body) : [];
    if (places.length === 0) return fc.constant(request);
    return fc.tuple(fc.constantFrom(...places), fc.constantFrom(50, 10_000)).map(([place, depth]) => ({
      ...request,
      body: Buffer.from(
        JSON.stringify(withValueAt(JSON.parse(String(request.body)), place, 'HERE')).replace('"HERE"', deep(depth)),
      ),
    }));
  },
  function longList(request, { body }) {
    const places = body ? placesOf(body) : [];
    if (places.length === 0) return fc.constant(request);
    return fc.constantFrom(...places).map((place) => ({
      ...request,
      body: Buffer.from(
        JSON.stringify(
          withValueAt(
            JSON.parse(String(request.body)),
            place,
            Array.from({ length: 20_000 }, () => 1),
          ),
        ),
      ),
    }));
  },
  function repeatedKeys(request) {
    const text = String(request.body ?? '{}');
    const twice = text.length > 2 ? `${text.slice(0, -1)},${text.slice(1)}` : '{"a":1,"a":2}';
    return fc
      .constantFrom(twice, twice.toUpperCase(), twice.toLowerCase())
      .map((body) => ({ ...request, body: Buffer.from(body) }));
  },
  function badPath(request, { template }) {
    return fc.constantFrom(...BAD_SEGMENTS).map((segment) => ({
      ...request,
      path: template.includes('{') ? template.replace(/\{[^}]+\}/g, () => segment) : `${template}/${segment}`,
    }));
  },
  function badQuery(request) {
    return fc.constantFrom(...BAD_QUERIES).map((query) => ({ ...request, path: request.path + query }));
  },
  function badParameter(request, { operation }) {
    const names = operation.parameters.filter((p): p is Parameter => 'in' in p && p.in === 'query').map((p) => p.name);
    return fc
      .tuple(
        fc.constantFrom(...names, 'pageSize', 'pageOffset'),
        fc.constantFrom(...BAD_NUMBERS, ...BAD_SEGMENTS),
        fc.boolean(),
      )
      .map(([name, value, twice]) => ({
        ...request,
        path: `${request.path}?${name}=${value}${twice ? `&${name}=${value}` : ''}`,
      }));
  },
  function badHeader(request) {
    return fc.constantFrom(...BAD_HEADERS).map(([name, value]) => ({
      ...request,
      sort: `header ${name}: ${value.slice(0, 30)}`,
      headers: [
        ...request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase()),
        [name, value] as const,
      ],
    }));
  },
  function repeatedHeaders(request) {
    return fc.constant({ ...request, headers: [...request.headers, ...request.headers] });
  },
  function wrongMethod(request) {
    const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'LINK'];
    return fc.constantFrom(...methods).map((method) => ({ ...request, method }));
  },
  function otherPrefix(request) {
    const prefixes = ['/v2', '/api/v2', '/V2', '/v1', '/api', '/v2/v2', '//', '/api/v2/'];
    return fc.constantFrom(...prefixes).map((prefix) => ({ ...request, path: `${prefix}${request.path}` }));
  },
];

/** The bytes of a request. `Connection: close` unless it is to be kept. */
export function wireBytes(request: HostileRequest, host: string): Buffer {
  const hasHost = request.headers.some(([name]) => name === 'Host');
  const lines = [
    `${request.method} ${request.path} HTTP/1.1`,
    ...(hasHost ? [] : [`Host: ${host}`]),
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
    ...(request.body ? [`Content-Length: ${request.body.length}`] : []),
    'Connection: close',
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), request.body ?? Buffer.alloc(0)]);
}
