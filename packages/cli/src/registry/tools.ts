import type { Endpoint, Input } from '@kwit/contract/endpoint';
import { checkIdentifier, checkIdentifierWithChecksum, type IdentifierType } from '@kwit/contract/identifiers';
import { createReader } from '@kwit/contract/read';
import type { Refusal } from '@kwit/contract/refusal';
import type { Clock } from '@kwit/server/platform/clock';
import type { Database } from '@kwit/server/platform/db/database';
import type { Random } from '@kwit/server/platform/random';
import type { Io } from '../io.ts';
import { Misuse } from '../run-command.ts';

export interface RegistryTools {
  database: Database;
  clock: Clock;
  random: Random;
  io: Pick<Io, 'out' | 'err'>;
  /** Check digits of NIP, PESEL and internal identifiers count, as the service does it on PRD. */
  checkDigits: boolean;
}

export interface Identifier<T extends string = IdentifierType> {
  type: T;
  value: string;
}

/** What was given becomes the body of the endpoint that does the same on TEST, judged by the same schema. */
export function readBody<E extends Endpoint>(endpoint: E, given: object): Input<E, 'body'> {
  if (!endpoint.body) throw new TypeError(`${endpoint.id} has no body`);
  const { value, failures } = createReader<Input<E, 'body'>>(endpoint.body)(given);
  if (failures.length > 0) throw new Misuse(failures.join('\n'));
  return value;
}

const ALL_TYPES: readonly IdentifierType[] = ['Nip', 'Pesel', 'InternalId', 'NipVatUe', 'Fingerprint', 'PeppolId'];

/** `Nip:5265877635`, or the value alone: no value fits two types. */
export function readIdentifier<const T extends IdentifierType>(
  { checkDigits }: Pick<RegistryTools, 'checkDigits'>,
  text: string | undefined,
  types: readonly T[],
): Identifier<T> {
  if (text === undefined) throw new Misuse(`An identifier is missing: ${types.join(', ')}.`);
  const [, named, value = ''] = /^(?:([A-Za-z]+)[:=])?(.*)$/s.exec(text) ?? [];
  const type = ALL_TYPES.find(
    (one) => (named === undefined || one.toLowerCase() === named.toLowerCase()) && checkIdentifier(one, value),
  );
  if (type === undefined || !(types as readonly string[]).includes(type)) {
    throw new Misuse(`'${text}' is no ${types.join(', ')}.`);
  }
  if (checkDigits && !checkIdentifierWithChecksum(type, value)) {
    throw new Misuse(`'${text}' has a wrong check digit.`);
  }
  return { type: type as T, value };
}

/** What an operation refused, in its words. */
export function wordsOf(refusal: Refusal): string {
  const details = refusal.problems.flatMap((problem) => problem.details);
  return details
    .map(({ template, values }) => template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values?.[name] ?? '')))
    .join('\n');
}
