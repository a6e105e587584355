import { CONTEXT_TYPES, type ContextType } from '@kwit/contract/enumerations';
import { checkIdentifier } from '@kwit/contract/identifiers';
import { Misuse } from './run-command.ts';

/** A context as `Nip:5265877635`, or its value alone when only one type fits it. */
export function readContext(option: string, text: string): { type: ContextType; value: string } {
  const [, typeName, value = ''] = /^(?:([A-Za-z]+)[:=])?(.*)$/s.exec(text) ?? [];
  const types = typeName
    ? CONTEXT_TYPES.filter((type) => type.toLowerCase() === typeName.toLowerCase())
    : [...CONTEXT_TYPES];
  const type = types.find((candidate) => checkIdentifier(candidate, value));
  if (type) return { type, value };
  throw new Misuse(`${option}: '${text}' is no ${types.length === 1 ? types[0] : CONTEXT_TYPES.join(', ')}.`);
}

export function checked(option: string, type: 'Nip' | 'Pesel', value: string): string {
  if (checkIdentifier(type, value)) return value;
  throw new Misuse(`${option}: '${value}' is no ${type === 'Nip' ? 'NIP (10 digits)' : 'PESEL (11 digits)'}.`);
}
