/** Errors as plain data: structured clone keeps only the message of an error and drops its class and properties. */
export interface PlainError {
  name: string;
  message: string;
  stack?: string;
  properties: Record<string, unknown>;
  cause?: PlainError;
}

const CAUSES_KEPT = 4;

export function toPlain(thrown: unknown, depth = 0): PlainError {
  if (!(thrown instanceof Error)) return { name: 'Error', message: `thrown: ${String(thrown)}`, properties: {} };
  const properties: Record<string, unknown> = {};
  for (const key of Object.keys(thrown)) {
    if (key === 'name' || key === 'message' || key === 'stack' || key === 'cause') continue;
    const value = plainData((thrown as unknown as Record<string, unknown>)[key]);
    if (value !== undefined) properties[key] = value;
  }
  const plain: PlainError = { name: thrown.name, message: thrown.message, properties };
  // A subclass that never set `name` is still told apart by its class.
  if (plain.name === 'Error' && thrown.constructor.name) plain.name = thrown.constructor.name;
  if (thrown.stack !== undefined) plain.stack = thrown.stack;
  if (thrown.cause !== undefined && depth < CAUSES_KEPT) plain.cause = toPlain(thrown.cause, depth + 1);
  return plain;
}

const BUILT_IN: Record<string, new (message: string) => Error> = { TypeError, RangeError, SyntaxError, URIError };

export function fromPlain(plain: PlainError): Error {
  const error = new (BUILT_IN[plain.name] ?? Error)(plain.message);
  if (error.name !== plain.name) {
    Object.defineProperty(error, 'name', { value: plain.name, configurable: true, writable: true });
  }
  if (plain.stack !== undefined) error.stack = plain.stack;
  if (plain.cause !== undefined) error.cause = fromPlain(plain.cause);
  return Object.assign(error, plain.properties);
}

/** What structured clone can carry; functions and the like are left out rather than losing the whole error. */
function plainData(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return undefined;
  }
}
