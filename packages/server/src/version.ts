import { readFileSync } from 'node:fs';

/** Version of this release, from the package itself. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
