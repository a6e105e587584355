import { parseArgs } from 'node:util';
import { KeyOperationRefused, type KeyTools } from '@kwit/server/platform/keys/change-keys';
import type { KeyPurpose } from '@kwit/server/platform/keys/key-ring';
import { type ListedKey, listKeys } from '@kwit/server/platform/keys/list-keys';
import { MasterKeyMismatch } from '@kwit/server/platform/keys/master-key';
import { recertifyKey } from '@kwit/server/platform/keys/recertify-key';
import { rotateKey } from '@kwit/server/platform/keys/rotate-key';
import { type KeyAlgorithm, PURPOSES, type StoredKey } from '@kwit/server/platform/keys/stored-key';
import { withdrawKey } from '@kwit/server/platform/keys/withdraw-key';
import { parseDuration } from './duration.ts';
import { table } from './table.ts';

export interface KeysCommand extends KeyTools {
  /** Writes one line. */
  out(line: string): void;
  /** Where complaints go; the same place as `out` unless told. */
  err?(line: string): void;
}

export const KEYS_HELP = `Usage: kwit keys <command> [options]

  list                     shows every key: purpose, state, ids, validity
  rotate <purpose>         makes a new key beside the old one, which stays accepted for a while
  recertify <key>          makes a new certificate for the same key; publicKeyId stays
  withdraw <key>           emergency: the key is gone and refused at once; the last one is replaced
  rewrap                   changes the master key, while no node of the service runs

<key> is an id (or its first 8 characters), a publicKeyId, or a purpose that has only one key.
<purpose> is one of ${PURPOSES.join(', ')}.

Options
  --json                   list: as JSON
  --all                    list: also retired and withdrawn keys
  --algorithm rsa|ec       rotate: kind of the new key (ec only for TokenEncryption)
  --retire-old-after <t>   rotate: how long the old keys stay, e.g. 36h, 30d, 0, never
                           (30d for published keys, as long as their tokens live for signing secrets)
  --valid-after <t>        rotate: publish now, valid later, e.g. 7d
  --new-master-key <key>   rewrap: the new one (KWIT_NEW_MASTER_KEY); without it the key file gets a new one
  --help                   this text

Running nodes follow every change within a second; nothing but rewrap needs a restart.`;

/** A wrong command line: exit code 2, like a bad setting. */
class Misuse extends Error {}

/** `kwit keys ...`. Gives the exit code: 0 done, 1 refused, 2 wrong command line. */
export async function runKeys(args: readonly string[], command: KeysCommand): Promise<number> {
  const complain = command.err ?? command.out;
  try {
    const { values, positionals } = read(args);
    const [verb, ...rest] = positionals;
    if (values.help || verb === undefined || verb === 'help') {
      command.out(KEYS_HELP);
      return values.help || verb === 'help' ? 0 : 2;
    }
    switch (verb) {
      case 'list':
        return await list(rest, values, command);
      case 'rotate':
        return await rotate(rest, values, command);
      case 'recertify':
        return await recertify(rest, command);
      case 'withdraw':
        return await withdraw(rest, command);
      default:
        throw new Misuse(`There is no command 'keys ${verb}'.`);
    }
  } catch (error) {
    if (error instanceof Misuse) {
      complain(`${error.message} See: kwit keys --help`);
      return 2;
    }
    if (error instanceof KeyOperationRefused || error instanceof MasterKeyMismatch) {
      complain(error.message);
      return 1;
    }
    throw error;
  }
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  all: { type: 'boolean' },
  algorithm: { type: 'string' },
  'retire-old-after': { type: 'string' },
  'valid-after': { type: 'string' },
} as const;

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new Misuse((error as Error).message.split('. ')[0] ?? 'The command line cannot be read.');
  }
}
type Values = ReturnType<typeof read>['values'];

async function list(rest: readonly string[], values: Values, command: KeysCommand): Promise<number> {
  if (rest.length > 0) throw new Misuse(`'keys list' takes no '${rest[0]}'.`);
  const keys = (await listKeys(command)).filter((key) => values.all || ['active', 'retiring'].includes(key.state));
  if (values.json) command.out(JSON.stringify(keys.map(toJson), undefined, 2));
  else if (keys.length === 0) command.out('There are no keys yet; the service makes them at its first start.');
  else
    for (const line of table(['PURPOSE', 'STATE', 'KIND', 'VALID', 'PUBLIC KEY ID', 'ID'], keys.map(toRow)))
      command.out(line);
  return 0;
}

async function rotate(rest: readonly string[], values: Values, command: KeysCommand): Promise<number> {
  const purpose = purposeOf(one(rest, 'rotate', 'a purpose'));
  const overlap = values['retire-old-after'];
  const key = await rotateKey(command, {
    purpose,
    algorithm: algorithmOf(values.algorithm),
    retireOldAfter: overlap === 'never' ? 'never' : durationOf('--retire-old-after', overlap),
    validAfter: durationOf('--valid-after', values['valid-after']),
  });
  command.out(`Made a new key for ${purpose}: ${describe(key)}`);
  const old = (await listKeys(command)).filter(
    (k) => k.purpose === purpose && k.id !== key.id && k.state !== 'withdrawn',
  );
  for (const k of old) {
    if (k.state === 'retiring') command.out(`The old key ${k.id} stays accepted until ${moment(k.retireAt)}.`);
    if (k.state === 'active') command.out(`The old key ${k.id} stays accepted until it is withdrawn.`);
  }
  return 0;
}

async function recertify(rest: readonly string[], command: KeysCommand): Promise<number> {
  const { key, certificate } = await recertifyKey(command, one(rest, 'recertify', 'a key'));
  command.out(`The key ${describe(key)} has a new certificate.`);
  command.out(`certificateId ${certificate.id}, valid ${day(certificate.validFrom)} to ${day(certificate.validTo)}`);
  return 0;
}

async function withdraw(rest: readonly string[], command: KeysCommand): Promise<number> {
  const { withdrawn, replacement } = await withdrawKey(command, one(rest, 'withdraw', 'a key'));
  command.out(`Withdrew the key ${describe(withdrawn)} for ${withdrawn.purpose}; it is refused from now on.`);
  if (replacement) command.out(`It was the last one, so a new key took its place: ${describe(replacement)}`);
  return 0;
}

function one(rest: readonly string[], verb: string, what: string): string {
  const [value, more] = rest;
  if (value === undefined) throw new Misuse(`'keys ${verb}' needs ${what}.`);
  if (more !== undefined) throw new Misuse(`'keys ${verb}' takes one argument, not also '${more}'.`);
  return value;
}

function purposeOf(text: string): KeyPurpose {
  const found = PURPOSES.find((purpose) => purpose.toLowerCase() === text.toLowerCase());
  if (!found) throw new Misuse(`'${text}' is no purpose; expected one of ${PURPOSES.join(', ')}.`);
  return found;
}

const ALGORITHM_NAMES: Readonly<Record<string, KeyAlgorithm>> = { rsa: 'rsa-2048', ec: 'ec-p256' };

function algorithmOf(text: string | undefined): KeyAlgorithm | undefined {
  if (text === undefined) return undefined;
  const found = Object.hasOwn(ALGORITHM_NAMES, text) ? ALGORITHM_NAMES[text] : undefined;
  if (!found) throw new Misuse(`--algorithm is rsa or ec, not '${text}'.`);
  return found;
}

function durationOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const duration = parseDuration(text);
  if (duration === undefined) throw new Misuse(`${option} is a time such as 90s, 15m, 36h or 30d, not '${text}'.`);
  return duration;
}

function describe(key: StoredKey): string {
  return key.publicPart ? `${key.id} (publicKeyId ${key.publicPart.publicKeyId})` : key.id;
}

function toRow(key: ListedKey): string[] {
  const until = key.state === 'retiring' ? `retiring until ${moment(key.retireAt)}` : key.state;
  const valid = key.validFrom === undefined ? '-' : `${day(key.validFrom)} to ${day(key.validTo)}`;
  return [key.purpose, until, key.algorithm, valid, key.publicKeyId ?? '-', key.id];
}

function toJson(key: ListedKey): object {
  const { createdAt, retireAt, withdrawnAt, validFrom, validTo, ...rest } = key;
  const times = Object.entries({ createdAt, retireAt, withdrawnAt, validFrom, validTo });
  return {
    ...rest,
    ...Object.fromEntries(times.filter(([, at]) => at !== undefined).map(([name, at]) => [name, moment(at)])),
  };
}

function moment(at: number | undefined): string {
  return at === undefined ? '-' : new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

function day(at: number | undefined): string {
  return moment(at).slice(0, 10);
}
