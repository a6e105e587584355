import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../random.ts';
import { MASTER_KEY_BYTES, type MasterKey, masterKeyFrom } from './master-key.ts';

export const MASTER_KEY_FILE = 'master.key';

/** A setting or a file that cannot be used as it is; the message says what to do. */
export class MasterKeyUnusable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MasterKeyUnusable';
  }
}

export interface MasterKeyOptions {
  /** From the configuration: 32 bytes as Base64 or as 64 hex digits. */
  configured?: string | undefined;
  /** Where the file lies, and is made at the first start, when nothing is configured. */
  dataFolder: string;
  random: Random;
}

export function loadMasterKey({ configured, dataFolder, random }: MasterKeyOptions): MasterKey {
  if (configured !== undefined && configured !== '') return configuredMasterKey(configured, random);
  return masterKeyFile(join(dataFolder, MASTER_KEY_FILE), random);
}

export function configuredMasterKey(text: string, random: Random): MasterKey {
  return masterKeyFrom(decode(text, 'The configured master key'), 'the configuration', random);
}

/** The key in a file, which is made when it is not there. */
export function masterKeyFile(path: string, random: Random): MasterKey {
  const text = readKeyFile(path) ?? createKeyFile(path, random);
  return masterKeyFrom(decode(text.trim(), `The master key file ${path}`), `the file ${path}`, random);
}

/** The value itself never gets into a message. */
function decode(text: string, what: string): Buffer {
  const isHex = /^[0-9a-fA-F]{64}$/.test(text);
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
  const bytes = isHex ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64');
  if ((isHex || isBase64) && bytes.length === MASTER_KEY_BYTES) return bytes;
  throw new MasterKeyUnusable(
    `${what} must be ${MASTER_KEY_BYTES} bytes, written as Base64 (44 characters) or as 64 hex digits; ` +
      `it has ${text.length} characters${isBase64 ? `, which are ${bytes.length} bytes` : ''}. ` +
      'A new one is made by: openssl rand -base64 32',
  );
}

function readKeyFile(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (!found.isFile()) throw new MasterKeyUnusable(`The master key ${path} is not a file.`);
  // Windows has no such mode.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    throw new MasterKeyUnusable(
      `The master key file ${path} has the mode ${mode}, so others can read it; it must be 0600. Run: chmod 600 "${path}"`,
    );
  }
  return readFileSync(path, 'utf8');
}

/** Written whole under another name and then linked: a kill in between leaves no half key, and of two processes one wins. */
function createKeyFile(path: string, random: Random): string {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${random.bytes(8).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, `${random.bytes(MASTER_KEY_BYTES).toString('base64')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
  const text = readKeyFile(path);
  if (text === undefined) throw new MasterKeyUnusable(`The master key file ${path} could not be made.`);
  return text;
}

export function syncFolder(folder: string): void {
  // A folder cannot be opened on Windows.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
