import { ApiError, OperationFailed, WaitTimedOut } from '@kwit/client';

/** An error as lines for a reader: code, text, and every detail. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return describeRefusal(error);
  if (error instanceof OperationFailed) {
    const { operation, referenceNumber, status } = error;
    return lines(`The ${operation} ${referenceNumber} failed:`, `  ${status.code} ${status.description}`, [
      ...(status.details ?? []).map((detail) => `    - ${detail}`),
    ]);
  }
  if (error instanceof WaitTimedOut) return `${error.message}.`;
  const cause = connectionProblem(error);
  if (cause) return cause;
  return error instanceof Error ? error.message : String(error);
}

function describeRefusal(error: ApiError): string {
  const heads: Record<number, string> = {
    401: 'The service did not accept the token; it may have expired. Log in anew.',
    403: 'The service does not allow this.',
    410: 'This is no longer available.',
    429: 'Too many requests.',
  };
  return lines(
    `${heads[error.status] ?? 'The service refused the request.'} (HTTP ${error.status})`,
    error.problems.flatMap(({ code, description, details }) => [
      `  ${code} ${description}`,
      ...details.map((detail) => `    - ${detail}`),
    ]),
    error.problems.length === 0 && error.status !== 401 ? [`  ${error.message}`] : [],
    error.reasonCode === undefined ? [] : [`  reason: ${error.reasonCode}`],
    Object.entries(error.security ?? {}).map(
      ([name, value]) => `  ${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`,
    ),
    error.retryAfter === undefined ? [] : [`  try again after ${error.retryAfter} s`],
    error.traceId === undefined ? [] : [`  trace: ${error.traceId}`],
  );
}

/** `fetch` hides why it failed in the cause. */
function connectionProblem(error: unknown): string | undefined {
  if (!(error instanceof Error) || !(error.cause instanceof Error)) return undefined;
  const { code, address, port, hostname, message } = error.cause as Error &
    Partial<Record<'code' | 'address' | 'port' | 'hostname', string>>;
  if (code === 'ECONNREFUSED') {
    const where = address ? ` at ${address}:${port}` : '';
    return `Nothing answers${where}. Is the service running? Start it with 'npm start', or name its address with --url or KWIT_URL.`;
  }
  if (code === 'ENOTFOUND') return `The host ${hostname} is not known. Check --url or KWIT_URL.`;
  return `The service cannot be reached (${code ?? message}). Check --url or KWIT_URL.`;
}

function lines(...parts: (string | readonly string[])[]): string {
  return parts.flat().join('\n');
}
