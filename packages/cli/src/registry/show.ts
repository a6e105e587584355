import { CONTEXT_TYPES } from '@kwit/contract/enumerations';
import { attachmentsAllowed } from '@kwit/server/permissions/attachment-consent';
import { loadFacts } from '@kwit/server/permissions/load-facts';
import { OK } from '../run-command.ts';
import { onlyArgument } from './registers.ts';
import { type RegistryTools, readIdentifier } from './tools.ts';

/** What the registers say of one identifier, in a few lines. Grants are shown by `kwit explain`. */
export async function show(tools: RegistryTools, args: readonly string[]): Promise<number> {
  const { database, clock, io } = tools;
  const whose = readIdentifier(tools, onlyArgument(args, 'one identifier'), [...CONTEXT_TYPES, 'Pesel', 'Fingerprint']);
  const facts = await loadFacts(database, whose, whose);
  const persons = facts.persons.map(
    (person) => `person with NIP ${person.nip} and PESEL ${person.pesel}${person.isDeceased ? ', deceased' : ''}`,
  );
  const roles = facts.roles
    .filter((role) => role.nip === whose.value)
    .map((role) => `role ${role.role}${role.parentNip ? ` under ${role.parentNip}` : ''}`);
  const attachments = (await attachmentsAllowed(database, [whose.value], clock.now())).has(whose.value);
  const lines = [
    ...persons,
    ...roles,
    ...(attachments ? ['may send invoices with attachments'] : []),
    ...(facts.blocked ? ['blocked: nobody logs into it'] : []),
  ];
  io.out([`${whose.type} ${whose.value}`, ...(lines.length > 0 ? lines : ['nothing entered'])].join('\n  '));
  return OK;
}
