import { parseArgs } from 'node:util';
import { checkIdentifier } from '@kwit/contract/identifiers';
import { CONTEXT_TYPES } from '@kwit/contract/permissions';
import { type Explanation, explain, UnknownOperation } from '@kwit/server/permissions/explain';
import type { Clock } from '@kwit/server/platform/clock';
import type { Database } from '@kwit/server/platform/db/database';

export const EXPLAIN_HELP = `kwit explain --subject <identifier> --context <identifier> --operation <operation> [--json]

Says whether a subject may do something in a context, and which grants allow it or which link is missing.

  --subject    who: Nip, Pesel, Fingerprint or PeppolId, as 44051401359 or Pesel:44051401359
  --context    on whose behalf: Nip, InternalId, NipVatUe or PeppolId
  --operation  'POST /sessions/online', or the name of a permission such as InvoiceRead
  --json       the answer as JSON

Exit code 0: allowed, 1: not allowed, 2: the question was not understood.
`;

const SUBJECT_TYPES = ['Nip', 'Pesel', 'Fingerprint', 'PeppolId'] as const;

export interface ExplainSurroundings {
  database: Database;
  clock: Clock;
  out(text: string): void;
}

export async function runExplain(
  args: readonly string[],
  { database, clock, out }: ExplainSurroundings,
): Promise<0 | 1 | 2> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        subject: { type: 'string' },
        context: { type: 'string' },
        operation: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      out(EXPLAIN_HELP);
      return 0;
    }
    const question = {
      subject: identifier('subject', values.subject, SUBJECT_TYPES),
      context: identifier('context', values.context, CONTEXT_TYPES),
      operation: given('operation', values.operation),
    };
    const explanation = await explain({ database, clock }, question);
    out(values.json ? `${JSON.stringify({ ...question, ...explanation }, undefined, 2)}\n` : inWords(explanation));
    return explanation.allowed ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Misunderstood || error instanceof UnknownOperation || isArgumentError(error))) throw error;
    out(`${error.message}\n\n${EXPLAIN_HELP}`);
    return 2;
  }
}

class Misunderstood extends Error {}

function isArgumentError(error: unknown): error is Error {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
}

function given(option: string, value: string | undefined): string {
  if (!value) throw new Misunderstood(`--${option} is missing.`);
  return value;
}

/** `Type:value`, or a value alone when only one type fits it. */
function identifier<const T extends string>(
  option: string,
  text: string | undefined,
  types: readonly T[],
): { type: T; value: string } {
  const [, typeName, value = ''] = /^(?:([A-Za-z]+)[:= ])?(.*)$/s.exec(given(option, text)) ?? [];
  const candidates = typeName ? types.filter((t) => t.toLowerCase() === typeName.toLowerCase()) : types;
  const type = candidates.find((t) => checkIdentifier(t, value));
  if (type) return { type, value };
  throw new Misunderstood(`--${option} '${text}' is no ${candidates.length === 1 ? candidates[0] : types.join(', ')}.`);
}

function inWords({ allowed, operation, anyOf, because, missing }: Explanation): string {
  const asked = anyOf.length > 0 ? ` (asks for ${anyOf.join(' or ')})` : '';
  return [
    `${allowed ? 'Allowed' : 'Not allowed'}: ${operation}${asked}`,
    ...because.map((line) => `  because  ${line}`),
    ...missing.map((line) => `  missing  ${line}`),
    '',
  ].join('\n');
}
