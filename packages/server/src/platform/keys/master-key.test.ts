import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom as random } from '../random.ts';
import { loadMasterKey, MASTER_KEY_FILE, MasterKeyUnusable } from './load-master-key.ts';
import { MasterKeyMismatch, masterKeyFrom } from './master-key.ts';

const BINDING = { id: 'a', purpose: 'ReceiptSeal' } as const;

describe('wrapping', () => {
  const master = masterKeyFrom(Buffer.alloc(32, 1), 'a test', random);

  it('is undone only by the same master key, for the same key and purpose', () => {
    const wrapped = master.wrap(Buffer.from('secret'), BINDING);
    expect(wrapped.includes('secret')).toBe(false);
    expect(master.unwrap(wrapped, BINDING).toString()).toBe('secret');
    expect(() => master.unwrap(wrapped, { ...BINDING, id: 'b' })).toThrow(MasterKeyMismatch);
    expect(() => master.unwrap(wrapped, { ...BINDING, purpose: 'LinkSigning' })).toThrow(MasterKeyMismatch);
    const other = masterKeyFrom(Buffer.alloc(32, 2), 'another test', random);
    expect(other.id).not.toBe(master.id);
    expect(() => other.unwrap(wrapped, BINDING)).toThrow(/another test.*restore the master key file/s);
  });

  it('notices every changed or missing byte', () => {
    const wrapped = master.wrap(Buffer.from('secret'), BINDING);
    for (let at = 0; at < wrapped.length; at += 1) {
      const changed = Buffer.from(wrapped);
      changed[at] = (changed[at] as number) ^ 1;
      expect(() => master.unwrap(changed, BINDING)).toThrow(MasterKeyMismatch);
      expect(() => master.unwrap(wrapped.subarray(0, at), BINDING)).toThrow(MasterKeyMismatch);
    }
  });

  it('never gives the same bytes twice', () => {
    expect(master.wrap(Buffer.from('secret'), BINDING)).not.toEqual(master.wrap(Buffer.from('secret'), BINDING));
  });
});

describe('loading', () => {
  let dataFolder: string;
  beforeEach(() => {
    dataFolder = mkdtempSync(join(tmpdir(), 'kwit-master-'));
  });
  afterEach(() => rmSync(dataFolder, { recursive: true, force: true }));
  const path = () => join(dataFolder, MASTER_KEY_FILE);

  it('makes a file that only its owner can read, and takes it again later', () => {
    const first = loadMasterKey({ dataFolder: join(dataFolder, 'not', 'yet'), random });
    const file = join(dataFolder, 'not', 'yet', MASTER_KEY_FILE);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(dataFolder, 'not', 'yet'))).toEqual([MASTER_KEY_FILE]);
    expect(Buffer.from(readFileSync(file, 'utf8'), 'base64')).toHaveLength(32);
    expect(loadMasterKey({ dataFolder: join(dataFolder, 'not', 'yet'), random }).id).toBe(first.id);
  });

  it('takes Base64, base64url and hex from the configuration for the same key, and then makes no file', () => {
    const bytes = Buffer.alloc(32, 0xfb);
    const ids = (['base64', 'base64url', 'hex'] as const).map(
      (form) => loadMasterKey({ configured: bytes.toString(form), dataFolder, random }).id,
    );
    expect(new Set(ids).size).toBe(1);
    expect(readdirSync(dataFolder)).toEqual([]);
  });

  it.each([
    ['too short', Buffer.alloc(31).toString('base64')],
    ['too long', Buffer.alloc(33).toString('hex')],
    ['no such form', 'correct horse battery staple!!'],
  ])('refuses a configured key that is %s, without repeating it', (_, configured) => {
    let message = '';
    try {
      loadMasterKey({ configured, dataFolder, random });
    } catch (error) {
      expect(error).toBeInstanceOf(MasterKeyUnusable);
      message = (error as Error).message;
    }
    expect(message).toContain('must be 32 bytes');
    expect(message).not.toContain(configured);
  });

  it.skipIf(process.platform === 'win32')('refuses a file that others can read and says how to mend it', () => {
    loadMasterKey({ dataFolder, random });
    for (const mode of [0o640, 0o604, 0o660]) {
      chmodSync(path(), mode);
      expect(() => loadMasterKey({ dataFolder, random })).toThrow(/mode 06.*chmod 600/);
    }
  });

  it('refuses a file with something else in it, and a folder in its place', () => {
    writeFileSync(path(), 'short', { mode: 0o600 });
    expect(() => loadMasterKey({ dataFolder, random })).toThrow(/must be 32 bytes/);
    rmSync(path());
    mkdirSync(path(), { mode: 0o700 });
    expect(() => loadMasterKey({ dataFolder, random })).toThrow(MasterKeyUnusable);
  });
});
