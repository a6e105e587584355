import { destination as fileDestination, type Logger, pino } from 'pino';
import { type Clock, systemClock } from './clock.ts';
import { readableLine } from './log-readable.ts';
import { redactLine } from './log-redact.ts';

export type ServiceLog = Logger;
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export interface LogOptions {
  level?: LogLevel;
  /** One line for people instead of JSON; by default when standard output is a terminal. */
  readable?: boolean;
  /** Colours in the readable form. */
  colour?: boolean;
  /** Where finished lines go; standard output by default. */
  destination?: { write(line: string): unknown };
  clock?: Clock;
}

/**
 * The log of the service. Lines of one request share its trace: `log.child({ traceId })`.
 * Secrets and personal numbers are replaced in the finished line (log-redact.ts), whatever way they came.
 */
export function createLog(options: LogOptions = {}): ServiceLog {
  const clock = options.clock ?? systemClock;
  const readable = options.readable ?? (options.destination === undefined && process.stdout.isTTY === true);
  // Synchronous: the last line before a crash is the one that matters.
  const destination = options.destination ?? fileDestination({ fd: 1, sync: true });
  return pino(
    {
      level: options.level ?? 'info',
      base: null,
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      serializers: { err: describeError, error: describeError },
    },
    {
      write(line: string) {
        const safe = redactLine(line);
        destination.write(readable ? readableLine(safe, options.colour ?? false) : safe);
      },
    },
  );
}

const CAUSES_SHOWN = 3;

/**
 * What of an error is logged. A list of what may be shown instead of everything there is: errors of the database carry rows
 * in `detail`, errors of parsers the document.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { code, statusCode, constraint, table, syscall } = error as unknown as Record<string, unknown>;
  return {
    type: error.name === 'Error' ? error.constructor.name : error.name,
    message: error.message,
    stack: error.stack,
    ...dropUndefined({ code, statusCode, constraint, table, syscall }),
    ...(error.cause === undefined || depth >= CAUSES_SHOWN ? {} : { cause: describeError(error.cause, depth + 1) }),
  };
}

function dropUndefined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
