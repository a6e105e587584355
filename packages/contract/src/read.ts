import type { TSchema } from 'typebox';
import { parseDateTime } from './date-time.ts';

/**
 * Reads input by a schema in one pass: finds properties and enumeration values whatever their case and in either name, treats null as
 * absent, ignores what it does not know, and collects every failure with its path in the words of the published validator.
 * Compiled once per schema; the compiled reader allocates only the result.
 */
export interface Reading<T> {
  value: T;
  failures: readonly string[];
}

export type Reader = (input: unknown, path: string, failures: string[]) => unknown;

/** JSON keeps its types; a query string or path holds text that is turned into numbers and booleans. */
export type Source = 'json' | 'text';

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
}

export function createReader<T = unknown>(schema: TSchema, source: Source = 'json'): (input: unknown) => Reading<T> {
  const reader = compile(schema as Schema, source);
  return (input) => {
    const failures: string[] = [];
    const value = reader(input ?? {}, '', failures) as T;
    return { value, failures };
  };
}

function compile(schema: Schema, source: Source): Reader {
  const values = enumerationValues(schema);
  if (values) return readEnumeration(values);
  switch (schema.type) {
    case 'object':
      return readObject(schema, source);
    case 'array':
      return readArray(schema, source);
    case 'string':
      return readString(schema);
    case 'integer':
    case 'number':
      return readNumber(schema, schema.type === 'integer', source);
    case 'boolean':
      return readBoolean(source);
    default:
      return (input) => input;
  }
}

/** Literal unions and `enum` are the same thing to a reader. */
function enumerationValues(schema: Schema): readonly string[] | undefined {
  if (schema.enum?.every((v) => typeof v === 'string')) return schema.enum as string[];
  if (typeof schema.const === 'string') return [schema.const];
  if (schema.anyOf?.every((s) => typeof s.const === 'string')) return schema.anyOf.map((s) => s.const as string);
  return undefined;
}

const LONGEST_SHOWN = 100;

function show(value: unknown): string {
  const text = typeof value === 'string' ? value : written(value, LONGEST_SHOWN);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text;
}

/** JSON as far as it will be shown: a value of megabytes, or of a thousand levels, costs no more than that. */
function written(value: unknown, room: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room + 1));
  if (typeof value !== 'object' || value === null) return String(value);
  let text = Array.isArray(value) ? '[' : '{';
  const add = (part: string) => {
    text += text.length > 1 ? `,${part}` : part;
  };
  if (Array.isArray(value)) {
    for (const item of value) {
      if (text.length > room) return text;
      add(written(item, room - text.length));
    }
    return `${text}]`;
  }
  for (const key in value) {
    if (text.length > room) return text;
    add(
      `${JSON.stringify(key.slice(0, room))}:${written((value as Record<string, unknown>)[key], room - text.length)}`,
    );
  }
  return `${text}}`;
}

function readEnumeration(values: readonly string[]): Reader {
  const canonical = new Map<string, string>();
  for (const value of values) {
    canonical.set(value.toLowerCase(), value);
    // Values that carry the service's name are understood in both forms.
    if (/svc/i.test(value)) canonical.set(value.toLowerCase().replace('svc', 'ksef'), value);
  }
  const shown = values.length > 12 ? `${values.slice(0, 12).join(', ')}, ...` : values.join(', ');
  return (input, path, failures) => {
    const found = typeof input === 'string' ? canonical.get(input.toLowerCase()) : undefined;
    if (found === undefined) failures.push(`'${path}' must be one of: ${shown}. You entered ${show(input)}.`);
    return found;
  };
}

function readString(schema: Schema): Reader {
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern, 'u');
  const { minLength, maxLength, format } = schema;
  return (input, path, failures) => {
    if (typeof input !== 'string') {
      failures.push(`'${path}' must be a string. You entered ${show(input)}.`);
      return undefined;
    }
    const length = lengthOf(input, minLength, maxLength);
    if (length === 0 && minLength !== undefined && minLength > 0) failures.push(`'${path}' must not be empty.`);
    else if (minLength !== undefined && minLength === maxLength && length !== minLength) {
      failures.push(`'${path}' must be ${minLength} characters in length. You entered ${length} characters.`);
    } else if (minLength !== undefined && maxLength !== undefined && (length < minLength || length > maxLength)) {
      failures.push(
        `'${path}' must be between ${minLength} and ${maxLength} characters. You entered ${length} characters.`,
      );
    } else if (maxLength !== undefined && length > maxLength) {
      failures.push(
        `The length of '${path}' must be ${maxLength} characters or fewer. You entered ${length} characters.`,
      );
    } else if (minLength !== undefined && length < minLength) {
      failures.push(
        `The length of '${path}' must be at least ${minLength} characters. You entered ${length} characters.`,
      );
    } else if ((pattern && !pattern.test(input)) || !hasFormat(input, format) || !isStorable(input)) {
      failures.push(`'${path}' is not in the correct format.`);
    }
    return input;
  };
}

/** U+0000 cannot be stored as text and never belongs into a value of this interface; neither does half of a surrogate pair. */
function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/** Characters as people count them. Where they are surely enough and no upper bound exists (a whole document), nobody counts. */
function lengthOf(text: string, minLength: number | undefined, maxLength: number | undefined): number {
  if (maxLength === undefined && (minLength === undefined || text.length >= 2 * minLength)) return text.length;
  return codePoints(text);
}

function codePoints(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0xdc00 || unit > 0xdfff) count += 1;
  }
  return count;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** A decoder that skips what it does not know gives back less than it was given; on a whole document this is much cheaper than a pattern. */
export function isBase64(text: string): boolean {
  if (text.length < 256) return BASE64.test(text);
  if (text.length % 4 !== 0 || !BASE64.test(text.slice(-4)) || text.includes('-') || text.includes('_')) return false;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (
    text.indexOf('=') === (padding === 0 ? -1 : text.length - padding) &&
    decodedLength(text) === (text.length / 4) * 3 - padding
  );
}

function decodedLength(text: string): number {
  return Buffer.from(text, 'base64').length;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

function hasFormat(text: string, format: string | undefined): boolean {
  switch (format) {
    case 'base64':
      return isBase64(text);
    case 'date-time':
      return parseDateTime(text) !== undefined;
    case 'date': {
      const match = DATE.exec(text);
      if (!match) return false;
      const date = new Date(`${text}T00:00:00Z`);
      return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
    }
    default:
      return true;
  }
}

function readNumber(schema: Schema, whole: boolean, source: Source): Reader {
  const { minimum, maximum } = schema;
  return (input, path, failures) => {
    const value = source === 'text' && typeof input === 'string' ? numberOf(input, whole) : input;
    if (typeof value !== 'number' || !Number.isFinite(value) || (whole && !Number.isSafeInteger(value))) {
      failures.push(
        source === 'text'
          ? notValidFor(input, path)
          : `'${path}' must be ${whole ? 'an integer' : 'a number'}. You entered ${show(input)}.`,
      );
      return undefined;
    }
    const tooSmall = minimum !== undefined && value < minimum;
    const tooLarge = maximum !== undefined && value > maximum;
    if (tooSmall || tooLarge) {
      if (minimum !== undefined && maximum !== undefined) {
        failures.push(`'${path}' must be between ${minimum} and ${maximum}. You entered ${value}.`);
      } else if (tooLarge) failures.push(`'${path}' must be less than or equal to '${maximum}'.`);
      else failures.push(`'${path}' must be greater than or equal to '${minimum}'.`);
    }
    return value;
  };
}

function numberOf(text: string, whole: boolean): number | undefined {
  if (!(whole ? /^[+-]?\d{1,15}$/ : /^[+-]?\d{1,15}(\.\d{1,15})?$/).test(text.trim())) return undefined;
  return Number(text);
}

function notValidFor(input: unknown, path: string): string {
  return `The value '${show(input)}' is not valid for ${path.charAt(0).toUpperCase()}${path.slice(1)}.`;
}

function readBoolean(source: Source): Reader {
  return (input, path, failures) => {
    if (typeof input === 'boolean') return input;
    if (source === 'text' && typeof input === 'string') {
      const text = input.trim().toLowerCase();
      if (text === 'true' || text === 'false') return text === 'true';
    }
    failures.push(
      source === 'text' ? notValidFor(input, path) : `'${path}' must be true or false. You entered ${show(input)}.`,
    );
    return undefined;
  };
}

function readArray(schema: Schema, source: Source): Reader {
  const readItem = compile(schema.items ?? {}, source);
  const { minItems, maxItems } = schema;
  return (input, path, failures) => {
    const items = source === 'text' && !Array.isArray(input) ? [input] : input;
    if (!Array.isArray(items)) {
      failures.push(`'${path}' must be an array. You entered ${show(input)}.`);
      return undefined;
    }
    if (minItems !== undefined && items.length < minItems) {
      failures.push(
        minItems === 1
          ? `'${path}' must not be empty.`
          : `'${path}' must contain at least ${minItems} items. You entered ${items.length} items.`,
      );
    }
    if (maxItems !== undefined && items.length > maxItems) {
      failures.push(`'${path}' must contain ${maxItems} items or fewer. You entered ${items.length} items.`);
      // Whoever sends a million items gets one sentence, not a million.
      return undefined;
    }
    const before = failures.length;
    const result: unknown[] = [];
    for (const [index, item] of items.entries()) {
      result.push(
        item === null || item === undefined
          ? missing(`${path}[${index}]`, failures)
          : readItem(item, `${path}[${index}]`, failures),
      );
      if (failures.length - before > 100) break;
    }
    return result;
  };
}

function missing(path: string, failures: string[]): undefined {
  failures.push(`'${path}' must not be empty.`);
  return undefined;
}

function readObject(schema: Schema, source: Source): Reader {
  const canonical = new Map<string, string>();
  const readers = new Map<string, Reader>();
  const defaults: [string, unknown][] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    readers.set(name, compile(property, source));
    if (property.default !== undefined) defaults.push([name, property.default]);
    if (/svc/i.test(name)) canonical.set(name.toLowerCase().replace('svc', 'ksef'), name);
    canonical.set(name.toLowerCase(), name);
  }
  const required = schema.required ?? [];
  return (input, path, failures) => {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      failures.push(
        path === ''
          ? 'The request body must be a JSON object.'
          : `'${path}' must be an object. You entered ${show(input)}.`,
      );
      return undefined;
    }
    const result: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(input)) {
      const name = canonical.get(key.toLowerCase());
      if (name === undefined || item === null || item === undefined) continue;
      // An exact spelling wins over a second one that differs in case only.
      if (name in result && key !== name) continue;
      result[name] = readers.get(name)?.(item, path === '' ? name : `${path}.${name}`, failures);
    }
    for (const [name, value] of defaults) {
      if (!(name in result)) result[name] = value;
    }
    for (const name of required) {
      if (!(name in result)) missing(path === '' ? name : `${path}.${name}`, failures);
    }
    return result;
  };
}
