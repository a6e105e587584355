import type { Binding } from '../platform/binding.ts';
import type { TestDataDeps } from './deps.ts';
import { testDataRoutes } from './routes.ts';

export interface TestData {
  bindings: Binding[];
}

/** Identities, permissions, consents and blocks made up for tests. */
export function createTestData(deps: TestDataDeps): TestData {
  return { bindings: testDataRoutes(deps) };
}
