import fc from 'fast-check';
import type { Json } from './check-answer.ts';

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

const known = new WeakMap<Json, fc.Arbitrary<unknown>>();
const knownPatterns = new Map<string, fc.Arbitrary<string>>();

/** Values that a schema allows. Kept for the next question: making the source of strings takes far longer than drawing from it. */
export function valuesOf(given: Json): fc.Arbitrary<unknown> {
  const found = known.get(given) ?? make(given);
  known.set(given, found);
  return found;
}

function make(given: Json): fc.Arbitrary<unknown> {
  const schema = given as Schema;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((s) => valuesOf(s as Json)));
  switch (schema.type) {
    case 'object':
      return objectsOf(schema);
    case 'array':
      return fc.array(valuesOf((schema.items ?? {}) as Json), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + 2),
      });
    case 'string':
      return stringsOf(schema);
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000_000, 1_000_000) });
    case 'boolean':
      return fc.boolean();
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectsOf(schema: Schema): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([key, s]) => [key, valuesOf(s as Json)]),
  );
  return fc.record(model, { requiredKeys: (schema.required ?? []).filter((key) => key in model) });
}

function stringsOf(schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Math.max(20, minLength) } = schema;
  if (schema.pattern !== undefined) return stringsLike(schema.pattern);
  switch (schema.format) {
    case 'date-time':
      return instants.map((date) => date.toISOString());
    case 'date':
      return instants.map((date) => date.toISOString().slice(0, 10));
    case 'base64':
      return minLength === 44 && maxLength === 44
        ? bytes(32, 32)
        : bytes(Math.ceil((minLength * 3) / 4), Math.ceil((minLength * 3) / 4) + 40);
    default:
      return fc.string({ unit: 'grapheme-ascii', minLength, maxLength: Math.min(maxLength, minLength + 40) });
  }
}

function stringsLike(pattern: string): fc.Arbitrary<string> {
  const found = knownPatterns.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'));
  knownPatterns.set(pattern, found);
  return found;
}

const instants = fc.date({
  min: new Date('2026-01-01T00:00:00Z'),
  max: new Date('2026-12-31T00:00:00Z'),
  noInvalidDate: true,
});

function bytes(minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.uint8Array({ minLength, maxLength }).map((array) => Buffer.from(array).toString('base64'));
}

/** Where a schema has properties and items, as paths: `['batchFile', 'fileParts', 0, 'fileSize']`. */
export function placesOf(given: Json, at: readonly (string | number)[] = []): (string | number)[][] {
  const schema = given as Schema;
  const here = at.length > 0 ? [[...at]] : [];
  if (schema.properties) {
    return [...here, ...Object.entries(schema.properties).flatMap(([key, s]) => placesOf(s as Json, [...at, key]))];
  }
  if (schema.items) return [...here, ...placesOf(schema.items as Json, [...at, 0])];
  return here;
}

/** A copy of a value with something else at a place; what lies on the way is made when it is missing. */
export function withValueAt(value: unknown, place: readonly (string | number)[], put: unknown): unknown {
  const [head, ...rest] = place;
  if (head === undefined) return put;
  if (typeof head === 'number') {
    const items: unknown[] = Array.isArray(value) ? [...value] : [];
    items[head] = withValueAt(items[head], rest, put);
    return items;
  }
  const members = typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  return { ...members, [head]: withValueAt((members as Json)[head], rest, put) };
}
