import { CONTEXT_TYPES } from '@kwit/contract/enumerations';
import * as endpoints from '@kwit/contract/testdata-endpoints';
import { allowAttachments } from '@kwit/server/testdata/allow-attachments';
import { blockContext } from '@kwit/server/testdata/block-context';
import { createPerson } from '@kwit/server/testdata/create-person';
import { createSubject } from '@kwit/server/testdata/create-subject';
import { grantPermissions } from '@kwit/server/testdata/grant-permissions';
import { removePerson } from '@kwit/server/testdata/remove-person';
import { removeSubject } from '@kwit/server/testdata/remove-subject';
import { revokeAttachments } from '@kwit/server/testdata/revoke-attachments';
import { revokePermissions } from '@kwit/server/testdata/revoke-permissions';
import { unblockContext } from '@kwit/server/testdata/unblock-context';
import { Misuse, OK, readArguments } from '../run-command.ts';
import { type RegistryTools, readBody, readIdentifier } from './tools.ts';

type Run = (tools: RegistryTools, args: readonly string[]) => Promise<number>;

const TEXT = { type: 'string' } as const;
const LIST = { type: 'string', multiple: true } as const;
const FLAG = { type: 'boolean' } as const;

/** Each does what the endpoint of the same name does on TEST, by the same operation. */
export const REGISTERS: Readonly<Record<string, Run>> = {
  'subject add': async (tools, args) => {
    const { values, positionals } = readArguments(args, { type: TEXT, description: TEXT, subunit: LIST, from: TEXT });
    const { value: subjectNip } = readIdentifier(tools, only(positionals, 'a NIP'), ['Nip']);
    const subunits = values.subunit?.map((text) => {
      const [, nip = text, description] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
      if (description === undefined) throw new Misuse(`--subunit is NIP=description, not '${text}'.`);
      return { subjectNip: readIdentifier(tools, nip, ['Nip']).value, description };
    });
    const { type: subjectType, description, from: createdDate } = values;
    const body = readBody(endpoints.createSubject, { subjectNip, subjectType, description, subunits, createdDate });
    await createSubject(tools, body);
    return done(tools, `Entered ${subjectNip} as ${body.subjectType}, with ${subunits?.length ?? 0} subunits.`);
  },
  'subject remove': async (tools, args) => {
    const nip = onlyNip(tools, args);
    await removeSubject(tools, { subjectNip: nip });
    return done(tools, `The roles of ${nip} and of its subunits have ended.`);
  },

  'person add': async (tools, args) => {
    const { values, positionals } = readArguments(args, {
      description: TEXT,
      bailiff: FLAG,
      deceased: FLAG,
      from: TEXT,
    });
    const [first, second] = two(positionals, 'a NIP and a PESEL');
    const { value: nip } = readIdentifier(tools, first, ['Nip']);
    const { value: pesel } = readIdentifier(tools, second, ['Pesel']);
    const { description, bailiff: isBailiff = false, deceased: isDeceased = false, from: createdDate } = values;
    await createPerson(
      tools,
      readBody(endpoints.createPerson, { nip, pesel, description, isBailiff, isDeceased, createdDate }),
    );
    return done(tools, `Entered the person with NIP ${nip}${isBailiff ? ', a court bailiff' : ''}.`);
  },
  'person remove': async (tools, args) => {
    const nip = onlyNip(tools, args);
    await removePerson(tools, { nip });
    return done(tools, `The person with NIP ${nip} has ended, with its role and all that was granted to it.`);
  },

  'attachment allow': async (tools, args) => {
    const nip = onlyNip(tools, args);
    await allowAttachments(tools, { nip });
    return done(tools, `${nip} may send invoices with attachments.`);
  },
  'attachment revoke': async (tools, args) => {
    const { values, positionals } = readArguments(args, { on: TEXT });
    const { value: nip } = readIdentifier(tools, only(positionals, 'a NIP'), ['Nip']);
    await revokeAttachments(tools, readBody(endpoints.revokeAttachments, { nip, expectedEndDate: values.on }));
    return done(tools, `The consent of ${nip} to attachments ends ${values.on ?? 'now'}.`);
  },

  'context block': async (tools, args) => {
    const context = readIdentifier(tools, onlyArgument(args, 'a context'), CONTEXT_TYPES);
    await blockContext(tools, context);
    return done(tools, `Nobody logs into ${context.type} ${context.value} any more; running logins go on.`);
  },
  'context unblock': async (tools, args) => {
    const context = readIdentifier(tools, onlyArgument(args, 'a context'), CONTEXT_TYPES);
    await unblockContext(tools, context);
    return done(tools, `Logins into ${context.type} ${context.value} are possible again.`);
  },

  'permission grant': async (tools, args) => {
    const { values, positionals } = readArguments(args, { permission: LIST, description: TEXT });
    const parties = partiesOf(tools, positionals);
    const permissions = values.permission?.map((permissionType) => ({
      permissionType,
      description: values.description,
    }));
    await grantPermissions(tools, readBody(endpoints.grantTestPermissions, { ...parties, permissions }));
    const { type, value } = parties.authorizedIdentifier;
    return done(tools, `Granted to ${type} ${value} by ${parties.contextIdentifier.value}, as by paper form.`);
  },
  'permission revoke': async (tools, args) => {
    const { positionals } = readArguments(args, {});
    const parties = partiesOf(tools, positionals);
    await revokePermissions(tools, readBody(endpoints.revokeTestPermissions, parties));
    const { type, value } = parties.authorizedIdentifier;
    return done(
      tools,
      `${type} ${value} holds nothing granted to it personally by ${parties.contextIdentifier.value}.`,
    );
  },
};

function partiesOf(tools: RegistryTools, positionals: readonly string[]) {
  const [context, authorized] = two(positionals, 'a NIP and who is authorized');
  return {
    contextIdentifier: readIdentifier(tools, context, ['Nip']),
    authorizedIdentifier: readIdentifier(tools, authorized, ['Nip', 'Pesel', 'Fingerprint']),
  };
}

function done({ io }: RegistryTools, words: string): number {
  io.out(words);
  return OK;
}

function onlyNip(tools: RegistryTools, args: readonly string[]): string {
  return readIdentifier(tools, onlyArgument(args, 'a NIP'), ['Nip']).value;
}

export function onlyArgument(args: readonly string[], what: string): string {
  return only(readArguments(args, {}).positionals, what);
}

export function only(positionals: readonly string[], what: string): string {
  const [first, more] = positionals;
  if (first === undefined || more !== undefined) throw new Misuse(`Expected ${what}, and nothing else.`);
  return first;
}

function two(positionals: readonly string[], what: string): [string, string] {
  const [first, second, more] = positionals;
  if (first === undefined || second === undefined || more !== undefined) throw new Misuse(`Expected ${what}.`);
  return [first, second];
}
