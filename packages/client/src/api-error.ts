/** One problem of a refused request: a code of the catalogue, its fixed text, and what exactly was wrong. */
export interface Problem {
  code: number;
  description: string;
  details: readonly string[];
}

/** A request that was answered with an error. `message` is readable as it is. */
export class ApiError extends Error {
  readonly status: number;
  readonly problems: readonly Problem[];
  readonly traceId: string | undefined;
  /** Of a 403: why, and what was required and present. */
  readonly reasonCode: string | undefined;
  readonly security: Readonly<Record<string, unknown>> | undefined;
  /** Of a 429, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(status: number, fields: Partial<Omit<ApiError, 'status' | 'code' | 'details'>> & { summary: string }) {
    const problems = fields.problems ?? [];
    const lines = problems.map((p) => [`${p.code}: ${p.description}`, ...p.details].join(' - '));
    super(`HTTP ${status}${lines.length > 0 ? ` ${lines.join('; ')}` : ` ${fields.summary}`}`);
    this.name = 'ApiError';
    this.status = status;
    this.problems = problems;
    this.traceId = fields.traceId;
    this.reasonCode = fields.reasonCode;
    this.security = fields.security;
    this.retryAfter = fields.retryAfter;
  }

  /** Code of the first problem, e.g. 21405. */
  get code(): number | undefined {
    return this.problems[0]?.code;
  }

  get details(): readonly string[] {
    return this.problems.flatMap((p) => p.details);
  }
}

type Json = Record<string, unknown>;

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function problem(entry: unknown, code: string, description: string): Problem {
  const fields = record(entry);
  return { code: Number(fields[code]), description: String(fields[description] ?? ''), details: texts(fields.details) };
}

/** Reads either error format. A body that is neither (a proxy's page, nothing at all) still gives an error with its status. */
export function errorOf(status: number, headers: Headers, body: unknown): ApiError {
  const root = record(body);
  const exception = record(root.exception);
  const problems = Array.isArray(root.errors)
    ? root.errors.map((e) => problem(e, 'code', 'description'))
    : Array.isArray(exception.exceptionDetailList)
      ? exception.exceptionDetailList.map((e) => problem(e, 'exceptionCode', 'exceptionDescription'))
      : root.status !== undefined && typeof root.status === 'object'
        ? [problem(root.status, 'code', 'description')]
        : [];
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiError(status, {
    summary: typeof root.detail === 'string' ? root.detail : 'no explanation was given',
    problems,
    traceId: headers.get('trace-id') ?? undefined,
    reasonCode: typeof root.reasonCode === 'string' ? root.reasonCode : undefined,
    security: root.security === undefined ? undefined : record(root.security),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}
