import { formatTimestamp } from '@kwit/contract/date-time';
import { errorEntry, isErrorCode } from '@kwit/contract/errors';
import { fillTemplate, type ServiceName } from '@kwit/contract/names';
import { FORBIDDEN_DETAILS, PROBLEM_DETAILS, PROBLEM_TITLES, type ProblemStatus } from '@kwit/contract/problem-texts';
import { Forbidden, Gone, Refusal, Unauthorized } from '@kwit/contract/refusal';
import type { RequestRefusal } from '../limits/decide.ts';
import { LimitExceeded } from './limiter.ts';
import { serviceCode, type Trace } from './trace.ts';

/** What an error answer needs to know of its request. */
export interface ErrorContext {
  name: ServiceName;
  problemDetails: boolean;
  /** Path exactly as requested, without the query. */
  instance: string;
  now: number;
  trace: Trace;
}

/** What problem details need of it. */
export type ProblemContext = Omit<ErrorContext, 'name' | 'trace'> & { trace: Pick<Trace, 'traceId'> };

export interface ErrorAnswer {
  status: number;
  headers: Record<string, string>;
  /** Undefined: an empty body. */
  body: unknown;
}

interface Problem {
  code: number;
  description: string;
  details: string[];
}

export function wantsProblemDetails(errorFormat: string | undefined): boolean {
  return errorFormat?.trim().toLowerCase() === 'problem-details';
}

/** Turns anything thrown into an answer of the catalogue. */
export function renderError(error: unknown, context: ErrorContext): ErrorAnswer {
  if (error instanceof Refusal) return badRequest(problemsOf(error, context.name), context);
  if (error instanceof Unauthorized) {
    return problem(401, PROBLEM_DETAILS[401], context, {}, { 'www-authenticate': 'Bearer' });
  }
  if (error instanceof Forbidden) {
    const members = { reasonCode: error.reason, ...(error.security ? { security: error.security } : {}) };
    return problem(403, FORBIDDEN_DETAILS[error.reason], context, members);
  }
  if (error instanceof Gone) return problem(410, PROBLEM_DETAILS[410], context);
  if (error instanceof LimitExceeded)
    return renderTooMany({ sentence: error.message, retryAfterSeconds: error.retryAfterSeconds }, context);
  const status = clientErrorStatus(error);
  // After a body that was not read to its end the connection cannot be used again.
  if (status !== undefined) return { status, headers: status === 413 ? { connection: 'close' } : {}, body: undefined };
  return unexpected(context);
}

function problemsOf(refusal: Refusal, name: ServiceName): Problem[] {
  return refusal.problems.map(({ code, details }) => ({
    code,
    description: fillTemplate(isErrorCode(code) ? errorEntry(code).text : `unknown code ${code}`, {}, name),
    details: details.map((d) => fillTemplate(d.template, d.values ?? {}, name)),
  }));
}

function badRequest(problems: readonly Problem[], context: ErrorContext): ErrorAnswer {
  if (context.problemDetails) {
    const errors = problems.map((p) => ({
      code: p.code,
      description: p.description,
      ...(p.details.length > 0 ? { details: p.details } : {}),
    }));
    return problem(400, PROBLEM_DETAILS[400], context, { errors });
  }
  // The default format has room for one entry: the first problem, with the details of all of them.
  const first = problems[0];
  const details = problems.flatMap((p) => p.details);
  return exception(400, first?.code ?? 21405, first?.description ?? '', details, context);
}

function exception(
  status: number,
  code: number,
  description: string,
  details: readonly string[],
  context: ErrorContext,
): ErrorAnswer {
  const entry = { exceptionCode: code, exceptionDescription: description, ...(details.length > 0 ? { details } : {}) };
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: {
      exception: {
        exceptionDetailList: [entry],
        serviceCode: serviceCode(context.trace),
        timestamp: formatTimestamp(context.now).replace('+00:00', 'Z'),
      },
    },
  };
}

function problem(
  status: ProblemStatus,
  detail: string,
  context: ProblemContext,
  members: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): ErrorAnswer {
  const media = context.problemDetails ? 'application/problem+json' : 'application/json';
  return {
    status,
    headers: { 'content-type': `${media}; charset=utf-8`, ...headers },
    body: {
      title: PROBLEM_TITLES[status],
      status,
      detail,
      instance: context.instance,
      ...members,
      timestamp: formatTimestamp(context.now),
      traceId: context.trace.traceId,
    },
  };
}

export function renderTooMany(refusal: RequestRefusal, context: ProblemContext): ErrorAnswer {
  const headers = { 'retry-after': String(refusal.retryAfterSeconds) };
  if (context.problemDetails) return problem(429, refusal.sentence, context, {}, headers);
  return {
    status: 429,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: { status: { code: 429, description: PROBLEM_TITLES[429], details: [refusal.sentence] } },
  };
}

function unexpected(context: ErrorContext): ErrorAnswer {
  if (context.problemDetails) return problem(500, PROBLEM_DETAILS[500], context);
  return exception(500, 500, PROBLEM_DETAILS[500], [], context);
}

/** 404, 405, 406, 413, 415 and the like carry no body. */
function clientErrorStatus(error: unknown): number | undefined {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

/** An answer without a body, e.g. 415. */
export class BareStatus extends Error {
  readonly statusCode: number;

  constructor(statusCode: 404 | 405 | 406 | 413 | 415, why: string) {
    super(why);
    this.statusCode = statusCode;
  }
}
