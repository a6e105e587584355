import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './packages/server/test/support/longest-first.ts';

const compiled = process.env.NODE_COMPILE_CACHE ?? join(import.meta.dirname, '.cache', 'compiled');

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'packages/*/test/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['packages/server/test/support/postgres-global-setup.ts'],
    setupFiles: ['packages/server/test/support/each-file.ts'],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Modules are loaded once per worker, by Node itself as in production: loading them for each file took a quarter of the time.
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Test files are loaded under another name in every run, so a cache would only grow; what they start finds it again.
    env: { NODE_COMPILE_CACHE: '', COMPILED_PROGRAMS: compiled },
    // For busy machines: nothing waits that long unless it hangs.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
