#!/usr/bin/env node
import { serve } from './serve.ts';

/** What the command can do: name, one line of help, and where it is. Modules are loaded when asked for, so that each command starts quickly. */
const COMMANDS: Record<string, { help: string; run: (args: readonly string[]) => Promise<number> }> = {
  serve: { help: 'run the service', run: serve },
  keys: {
    help: 'list, rotate, recertify or withdraw keys',
    run: async (args) => (await import('./keys-command.ts')).keysCommand(args),
  },
  explain: {
    help: 'say who may do what, and why',
    run: async (args) => (await import('./explain-command.ts')).explainCommand(args),
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
  process.exitCode = await command.run(args);
} else if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
  console.log(usage());
} else {
  console.error(`kwit: there is no command ${JSON.stringify(name)}.\n\n${usage()}`);
  process.exitCode = 2;
}
