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
    // Only where nodes are killed on purpose, and only who lost an answer with one (502) starts anew, with other parties:
    // any other failure stays one.
    retry: { count: Number(process.env.KWIT_ACCEPTANCE_RETRY ?? 0), condition: /\b502\b/ },
  },
});
