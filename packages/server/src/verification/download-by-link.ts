import { LIFETIMES } from '@kwit/contract/limits';
import { CONTROL_TRIES } from '@kwit/contract/verification-endpoints';
import { type ControlData, type ControlProblem, fits, readControlData, triesAddress } from './control-data.ts';
import type { VerificationDeps } from './deps.ts';
import { findByLink } from './find-by-link.ts';
import { countTry, forgetTries, lockedUntil, readGuarded, removeForgotten, type VerifiedInvoice } from './store.ts';

/** What became of the answers to the questions of code I. */
export type Download =
  | { outcome: 'unknown' }
  | { outcome: 'unreadable'; problems: readonly ControlProblem[] }
  /** `left`: how many more tries there are; with 0 the lock has begun. */
  | { outcome: 'wrong'; left: number }
  | { outcome: 'locked'; seconds: number }
  | { outcome: 'right'; invoice: VerifiedInvoice; document: Buffer; typed: ControlData };

/** The invoice behind code I, for who knows what stands in it. Wrong answers lock it for their address for a while. */
export async function downloadByLink(
  deps: Pick<VerificationDeps, 'database' | 'clock'>,
  asked: { path: string; body: Buffer; clientIp: string },
): Promise<Download> {
  const { database, clock } = deps;
  const found = await findByLink(database, asked.path);
  if (!found) return { outcome: 'unknown' };
  const typed = readControlData(asked.body);
  if ('problems' in typed) return { outcome: 'unreadable', problems: typed.problems };
  const { invoice } = found;
  const now = clock.now();
  const tried = {
    invoice: invoice.id,
    address: triesAddress(asked.clientIp),
    now,
    until: now + LIFETIMES.verificationLock,
  };
  const wrong = await countTry(database, tried, CONTROL_TRIES);
  if (wrong === undefined) {
    const until = (await lockedUntil(database, tried)) ?? now;
    return { outcome: 'locked', seconds: Math.max(1, Math.ceil((until - now) / 1000)) };
  }
  const { document, ...facts } = await readGuarded(database, invoice.id);
  if (!fits(typed, facts)) {
    await removeForgotten(database, now);
    return { outcome: 'wrong', left: Math.max(0, CONTROL_TRIES - wrong) };
  }
  await forgetTries(database, tried);
  return { outcome: 'right', invoice, document, typed };
}
