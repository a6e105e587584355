import type { TestDataDeps } from './deps.ts';
import { endOfConsent } from './rules.ts';
import { endConsent } from './store.ts';

/** Ends the consent at midnight UTC of a day, or now. */
export async function revokeAttachments(
  deps: TestDataDeps,
  { nip, expectedEndDate }: { nip: string; expectedEndDate?: string | undefined },
): Promise<undefined> {
  const now = deps.clock.now();
  await endConsent(deps.database, nip, endOfConsent(expectedEndDate, now), now);
  return undefined;
}
