import type { RevocationReason } from '@kwit/contract/enumerations';
import { detail, refuse } from '@kwit/contract/refusal';
import type { Caller } from '../platform/caller.ts';
import type { CertificatesDeps } from './deps.ts';
import { statusOf } from './model.ts';
import { ownersOf } from './owners.ts';
import { requestList } from './publish-list.ts';
import { findOwned, markRevoked } from './store.ts';

/** For good, and at once: from the commit on no login and no verification accepts the certificate. */
export async function revoke(
  deps: CertificatesDeps,
  caller: Caller,
  serial: string,
  reason: RevocationReason = 'Unspecified',
): Promise<void> {
  const owners = await ownersOf(deps, caller);
  await deps.database.transaction(async (tx) => {
    const [certificate] = await findOwned(tx, owners, [serial]);
    // A certificate of somebody else is not revealed.
    if (!certificate) throw refuse(25008, detail('Numer seryjny: {serial}.', { serial: serial.slice(0, 100) }));
    const now = deps.clock.now();
    const change = { blockedAt: now, revokedAt: now + deps.revocationDelayMs, reason };
    if (!(await markRevoked(tx, serial, change))) {
      const [current = certificate] = await findOwned(tx, owners, [serial]);
      throw refuse(25009, detail('Stan certyfikatu {serial}: {status}.', { serial, status: statusOf(current, now) }));
    }
    await requestList(deps, tx, certificate.authority);
  });
}
