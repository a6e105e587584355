import { defineConfig } from 'vitest/config';

/** What a profile runs; each contains the one before. `limiter` needs a service with request limits on. */
const PROFILES: Record<string, string[]> = {
  smoke: ['smoke'],
  core: ['smoke', 'core', 'other-clients'],
  full: ['smoke', 'core', 'other-clients', 'full'],
  limiter: ['limiter'],
};

const folders = PROFILES[process.env.KWIT_ACCEPTANCE_PROFILE ?? 'core'] ?? [];

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: folders.map((folder) => `${folder}/**/*.test.ts`),
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    // Set when nodes are killed on purpose: who lost an answer on its way starts anew, with other parties.
    retry: Number(process.env.KWIT_ACCEPTANCE_RETRY ?? 0),
  },
});
