/** Rules that depend on environment and day, as data. Days are those of Warsaw. */
import type { Environment } from '@kwit/contract/enumerations';

const ALWAYS = '0000-01-01';
const NEVER = '9999-12-31';

const IN_FORCE = {
  /** No processing instruction, no discouraged character (checks 9 and 10). Before that day a breach is only a warning. */
  strictXml: { TEST: ALWAYS, DEMO: ALWAYS, PRD: '2026-07-16' },
  /** Check digits of tax numbers and internal identifiers (check 15). */
  checksums: { TEST: NEVER, DEMO: NEVER, PRD: ALWAYS },
} as const satisfies Record<string, Readonly<Record<Environment, string>>>;

export function isInForce(rule: keyof typeof IN_FORCE, environment: Environment, day: string): boolean {
  return day >= IN_FORCE[rule][environment];
}
