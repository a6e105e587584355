import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, longest first: begun last, one of them would keep the run going alone. */
const LONG = [
  'server/test/kill',
  'server/test/client-invoices',
  'server/test/start',
  'platform/db/embedded',
  'server/test/fuzz',
  'exports/large-exports',
  'server/test/batch-kill',
  'cli/src/kwit',
  'xades/interoperability',
  'server/test/openapi',
  'invoices/verify-document',
  'scripts/acceptance',
  'server/test/mark',
  'batch/hostile-packages',
  'batch/process-package',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`${name}.test.ts`));
      return at < 0 ? LONG.length : at;
    };
    // The rest in the usual order: what failed last time, then what took longest, then the largest.
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
