import type { TestDataDeps } from './deps.ts';
import { giveConsent } from './store.ts';

/** Consent to invoices with attachments, without an end; clears an end given before. */
export async function allowAttachments(deps: TestDataDeps, { nip }: { nip: string }): Promise<undefined> {
  await giveConsent(deps.database, nip, deps.clock.now());
  return undefined;
}
