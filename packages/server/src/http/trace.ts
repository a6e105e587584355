import type { Random } from '../platform/random.ts';

/** W3C trace context of one request: its trace id stands in logs, errors and the `Trace-Id` header. */
export interface Trace {
  traceId: string;
  spanId: string;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

export function traceOf(traceparent: string | undefined, random: Random): Trace {
  return { traceId: traceIdOf(traceparent, random), spanId: random.bytes(8).toString('hex') };
}

/** A valid `traceparent` of the caller is continued, anything else starts a trace of our own. */
export function traceIdOf(traceparent: string | undefined, random: Random): string {
  const given = traceparent === undefined ? null : TRACEPARENT.exec(traceparent);
  const usable = given?.[1] !== undefined && !/^0+$/.test(given[1]) && !/^0+$/.test(given[2] ?? '');
  return usable ? (given[1] as string) : random.bytes(16).toString('hex');
}

/** The form in which the default error format carries it. */
export function serviceCode(trace: Trace): string {
  return `00-${trace.traceId}-${trace.spanId}-00`;
}
