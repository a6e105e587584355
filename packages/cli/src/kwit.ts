#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { type Io, terminal } from './io.ts';

// Compiled programs are kept beside the dependencies, where that is allowed: the next start needs half of the time.
enableCompileCache(join(import.meta.dirname, '../../../.cache/compiled'));

type Run = (args: readonly string[], io: Io) => Promise<number>;

/** What the command can do: name, one line of help, and where it is. Modules are loaded when asked for, so that each command starts quickly. */
const COMMANDS: Record<string, { help: string; load: () => Promise<Run> }> = {
  serve: { help: 'run the service', load: async () => (await import('./serve.ts')).serve },
  demo: {
    help: 'show the way of one invoice, step by step',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  login: { help: 'log in and print an access token', load: async () => (await import('./login.ts')).loginCommand },
  token: { help: 'create, list or revoke system tokens', load: async () => (await import('./token.ts')).tokenCommand },
  sample: {
    help: 'print a valid invoice to try things with',
    load: async () => (await import('./sample.ts')).sampleCommand,
  },
  send: { help: 'send invoices and wait for their numbers', load: async () => (await import('./send.ts')).sendCommand },
  batch: { help: 'send a package of invoices', load: async () => (await import('./batch.ts')).batchCommand },
  get: { help: 'download invoices by number', load: async () => (await import('./get.ts')).getCommand },
  show: {
    help: 'make a page of an invoice or a receipt, for the browser',
    load: async () => (await import('./show.ts')).showCommand,
  },
  list: { help: 'list invoices', load: async () => (await import('./list.ts')).listCommand },
  export: { help: 'export invoices into a folder', load: async () => (await import('./export.ts')).exportCommand },
  sync: { help: 'keep a folder up to date', load: async () => (await import('./sync.ts')).syncCommand },
  check: { help: 'verify invoices without sending them', load: async () => (await import('./check.ts')).checkCommand },
  cert: {
    help: 'obtain, list or revoke certificates',
    load: async () => (await import('./cert.ts')).certCommand,
  },
  qr: { help: 'build and check verification links', load: async () => (await import('./qr.ts')).qrCommand },
  limits: {
    help: 'show which limits apply and what is left',
    load: async () => (await import('./limits.ts')).limitsCommand,
  },
  keys: {
    help: 'list, rotate, recertify or withdraw keys, change the master key',
    load: async () => (await import('./keys-command.ts')).keysCommand,
  },
  registry: {
    help: 'enter entities, persons, consents, blocks and limits',
    load: async () => (await import('./registry/command.ts')).registryCommand,
  },
  jobs: {
    help: 'list jobs that failed for good, try them again or remove them',
    load: async () => (await import('./jobs-command.ts')).jobsCommand,
  },
  explain: {
    help: 'say who may do what, and why',
    load: async () => (await import('./explain-command.ts')).explainCommand,
  },
};

function usage(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { help }]) => `  ${name.padEnd(width)}  ${help}`);
  return `kwit <command> [options]\n\n${lines.join('\n')}\n\nEach command explains itself with --help.`;
}

const [name, ...args] = process.argv.slice(2);
const command = name === undefined ? undefined : COMMANDS[name];
if (command) {
  process.exitCode = await (await command.load())(args, terminal);
} else if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
  console.log(usage());
} else {
  console.error(`kwit: there is no command ${JSON.stringify(name)}.\n\n${usage()}`);
  process.exitCode = 2;
}
