import { sampleInvoice } from '@kwit/client/sample-invoices';
import * as auth from '@kwit/contract/auth-endpoints';
import type { ServiceName } from '@kwit/contract/names';
import * as sessions from '@kwit/contract/session-endpoints';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { closeSession, invoiceStatus, logIn, openSession, send, sessionStatus } from './support/actors.ts';
import {
  type AnswerChecker,
  answerChecker,
  type Json,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  schemaJudge,
} from './support/check-answer.ts';
import { pathOf, targetsOf } from './support/hostile-requests.ts';
import { valuesOf } from './support/schema-values.ts';
import { startTestService } from './support/service.ts';

const SELLER = '5265877635';

function everyOperation(document: OpenApiDocument): [string, Operation][] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );
}

/** Every `{ "$ref": ... }` in a document. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
}

function resolve(document: unknown, reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((at, step) => (at as Json | undefined)?.[step.replaceAll('~1', '/')], document);
}

function schemasOf(operation: Operation): Json[] {
  const contents = [
    ...Object.values(operation.requestBody?.content ?? {}),
    ...Object.values(operation.responses).flatMap((response) => Object.values(response.content ?? {})),
    ...operation.parameters.filter((p): p is Parameter => 'schema' in p),
  ];
  return contents.map((content) => content.schema).filter((schema) => references(schema).length === 0);
}

/** From here on every answer to `fetch` is held against the document; what does not fit is kept. */
function watchAnswers(checker: AnswerChecker, url: string): { problems: string[]; succeeded: Set<string> } {
  const watched = { problems: [] as string[], succeeded: new Set<string>() };
  const plain = globalThis.fetch;
  vi.stubGlobal('fetch', async (input: string, init: RequestInit = {}) => {
    const response = await plain(input, init);
    const method = init.method ?? 'GET';
    const path = input.replace(url, '');
    const found = checker.operationAt(method, path);
    if (found === undefined) return response;
    if (response.ok) watched.succeeded.add(found.operation.operationId);
    const body = Buffer.from(await response.clone().arrayBuffer());
    const contentType = response.headers.get('content-type') ?? undefined;
    watched.problems.push(...checker.problems(method, path, { status: response.status, contentType, body }));
    if (!response.headers.has('trace-id')) watched.problems.push(`${method} ${path} has no Trace-Id`);
    return response;
  });
  return watched;
}

afterAll(() => vi.unstubAllGlobals());

describe.each<ServiceName>(['svc', 'ksef'])('under the name %s', async (name) => {
  const service = await startTestService({ config: { name } });
  const document = (await service.request('GET', '/openapi.json')).json as OpenApiDocument;
  const operations = everyOperation(document);
  const checker = answerChecker(document);

  test('the document is OpenAPI 3.1 with everything it refers to', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document).toMatchObject({ info: { title: expect.any(String), version: expect.any(String) } });
    expect(operations.length).toBeGreaterThan(50);
    const broken = references(document).filter((reference) => resolve(document, reference) === undefined);
    expect(broken).toEqual([]);
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const tags = new Set(document.tags.map((tag) => tag.name));
    for (const [where, { tags: own, responses, security }] of operations) {
      expect(
        own.filter((tag) => !tags.has(tag)),
        where,
      ).toEqual([]);
      expect(
        Object.keys(responses).every((status) => /^[2-5]\d\d$/.test(status)),
        where,
      ).toBe(true);
      expect(
        Object.keys(responses).some((status) => status.startsWith('2')),
        where,
      ).toBe(true);
      expect(
        Object.values(responses).every((r) => typeof r.description === 'string'),
        where,
      ).toBe(true);
      const schemes = security.flatMap((one) => Object.keys(one));
      expect(
        schemes.filter((scheme) => !(scheme in document.components.securitySchemes)),
        where,
      ).toEqual([]);
    }
  });

  test('parameters: each part of a path is declared and nothing else is, no name twice', () => {
    for (const [where, { parameters }] of operations) {
      const resolved = parameters.map((p) => ('$ref' in p ? (resolve(document, p.$ref) as Parameter) : p));
      const inPath = resolved.filter((p) => p.in === 'path');
      expect(inPath.map((p) => p.name).sort(), where).toEqual(
        [...where.matchAll(/\{(\w+)\}/g)].map((m) => m[1]).sort(),
      );
      expect(
        inPath.every((p) => p.required),
        where,
      ).toBe(true);
      const keys = resolved.map((p) => `${p.in} ${p.name.toLowerCase()}`);
      expect(new Set(keys).size, where).toBe(keys.length);
    }
  });

  test('no two paths are the same but for the names of their parameters', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  test('all schemas are JSON Schema 2020-12, as another implementation reads it', () => {
    const judge = schemaJudge();
    const schemas = [
      ...operations.flatMap(([, operation]) => schemasOf(operation)),
      ...Object.values(document.components.schemas),
    ];
    for (const schema of schemas) expect(() => judge.compile(schema as Json)).not.toThrow();
    // Whoever checks must be able to say no.
    expect(() => judge.compile({ type: 'text' })).toThrow();
    expect(() => judge.compile({ type: 'string', madeUp: 1 })).toThrow();
  });

  test('no word of the other name is left in paths and schemas', () => {
    const text = JSON.stringify({
      paths: Object.keys(document.paths),
      all: operations.map(([, o]) => [o.parameters, schemasOf(o)]),
    });
    // "SVC" is also a currency.
    const other = name === 'ksef' ? /.{20}(?<!,"(?=SVC"))svc.{20}/gi : /.{20}ksef.{20}/gi;
    expect(text.match(other) ?? []).toEqual([]);
  });

  test('every answer is as the document says: a day in the life of a seller, and every operation asked in every way', async () => {
    const watched = watchAnswers(checker, service.url);
    const seller = await logIn(service, SELLER);
    const session = await openSession(seller);
    const invoice = (number: string, change = {}) =>
      sampleInvoice({ seller: { nip: SELLER, name: 'Firma' }, number, issueDate: '2026-11-16', ...change });
    const good = await send(seller, session, invoice('FV/1'));
    await service.drain();
    const duplicate = await send(seller, session, invoice('FV/1'));
    const broken = await send(seller, session, '<nothing/>');
    await service.drain();
    const { token } = seller;
    const params = { referenceNumber: session.reference };
    const codes = [];
    for (const reference of [good, duplicate, broken])
      codes.push((await invoiceStatus(seller, session, reference)).status.code);
    expect(codes).toEqual([200, 440, 450]);
    await sessionStatus(seller, session);
    await closeSession(seller, session);
    await service.drain();
    await sessionStatus(seller, session);
    const { call } = seller.transport;
    await call(sessions.listSessionInvoices, { token, params });
    await call(sessions.listFailedInvoices, { token, params });
    await call(sessions.readUpoByInvoice, { token, params: { ...params, invoiceReferenceNumber: good } });
    await call(sessions.listSessions, { token, query: { sessionType: 'Online' } });
    await call(auth.listAuthenticationSessions, { token });
    await call(auth.refreshAccessToken, { token: seller.refreshToken });

    for (const target of targetsOf(document)) {
      const samples = fc.sample(fc.tuple(pathOf(target), valuesOf(target.body ?? {})), { seed: 7, numRuns: 2 });
      const hasPages = Object.values(target.operation.responses).some(({ content }) => content?.['text/html']);
      for (const [path, body] of samples) {
        for (const problemDetails of [true, false]) {
          // Where there are pages, people ask without a token.
          for (const bearer of [token, undefined]) {
            await fetch(`${service.url}${path}`, {
              method: target.method,
              headers: {
                ...(hasPages && bearer === undefined ? { accept: 'text/html' } : {}),
                ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
                ...(problemDetails ? { 'x-error-format': 'problem-details' } : {}),
                ...(target.media ? { 'content-type': target.media } : {}),
              },
              ...(target.body ? { body: JSON.stringify(body) } : target.media ? { body: '<a/>' } : {}),
            }).then((response) => response.arrayBuffer());
          }
        }
      }
    }
    vi.unstubAllGlobals();
    expect(watched.problems).toEqual([]);
    // The document was held against successes too, not against refusals alone.
    expect(watched.succeeded.size).toBeGreaterThan(operations.length / 3);
  }, 60_000);
});
