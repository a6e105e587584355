import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../test/support/database.ts';
import { effectivePermissions } from './effective-permissions.ts';
import { loadFacts } from './load-facts.ts';
import { naivePermissions } from './naive-permissions.fixture.ts';
import { CONTEXTS, NOW, SUBJECTS, type World, world } from './random-world.fixture.ts';
import { storeWorld } from './store-world.fixture.ts';

/** Say `SEED=...` to see a failing world again; the seed stands in the test's name. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_007);

function disagreements(
  real: (s: (typeof SUBJECTS)[number], c: (typeof CONTEXTS)[number]) => string[],
  of: World,
): string[] {
  const found: string[] = [];
  for (const subject of SUBJECTS) {
    for (const context of CONTEXTS) {
      const [computed, read] = [real(subject, context).join(), naivePermissions(of, subject, context, NOW).join()];
      if (computed !== read)
        found.push(`${subject.value} in ${context.value}: computed [${computed}], by the rules [${read}]`);
    }
  }
  return found;
}

describe(`random worlds, seed ${seed}`, () => {
  it('give everybody what a naive reading of the rules gives', () => {
    let held = 0;
    fc.assert(
      fc.property(world, (of) => {
        const real = (subject: (typeof SUBJECTS)[number], context: (typeof CONTEXTS)[number]) => [
          ...effectivePermissions(of, subject, context, NOW).permissions.keys(),
        ];
        expect(disagreements(real, of)).toEqual([]);
        held += of.grants.length;
      }),
      { seed, numRuns: 300 },
    );
    expect(held).toBeGreaterThan(300);
  });

  describe('when stored', () => {
    let database: TestDatabase;
    beforeAll(async () => {
      database = await testDatabase();
    });

    it('give the same through the one query that loads the facts', async () => {
      const rules = new Set<string>();
      await fc.assert(
        fc.asyncProperty(world, async (of) => {
          await storeWorld(database, of);
          const answers = new Map<string, string[]>();
          for (const subject of SUBJECTS) {
            for (const context of CONTEXTS) {
              const facts = await loadFacts(database, subject, context);
              const { permissions } = effectivePermissions(facts, subject, context, NOW);
              for (const reasons of permissions.values()) for (const { rule } of reasons) rules.add(rule);
              answers.set(`${subject.value} ${context.value}`, [...permissions.keys()]);
            }
          }
          expect(disagreements((s, c) => answers.get(`${s.value} ${c.value}`) ?? [], of)).toEqual([]);
        }),
        { seed, numRuns: 30 },
      );
      // Worlds in which a rule never matters would prove nothing about it.
      expect([...rules].toSorted()).toEqual([
        'entity-grant',
        'eu-administrator',
        'eu-representative',
        'indirect-grant',
        'owner',
        'owner-with-role',
        'peppol-provider',
        'person-grant',
        'subunit-administrator',
      ]);
    });
  });

  it('name a reason for every permission: the owner, or records that are in force', () => {
    fc.assert(
      fc.property(world, (of) => {
        for (const subject of SUBJECTS) {
          for (const context of CONTEXTS) {
            for (const reasons of effectivePermissions(of, subject, context, NOW).permissions.values()) {
              expect(reasons.length).toBeGreaterThan(0);
              for (const { grant, delegation } of reasons) {
                for (const record of [grant, delegation]) {
                  if (record) expect(of.grants).toContainEqual(record);
                }
              }
            }
          }
        }
      }),
      { seed, numRuns: 50 },
    );
  });
});
