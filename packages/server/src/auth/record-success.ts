import type { Queryable } from '../platform/db/database.ts';
import { recordTokenUse } from '../tokens/login-with-token.ts';
import type { AuthDeps } from './deps.ts';
import type { Ended } from './judgement.ts';
import { registerProviders } from './peppol-store.ts';

/** What successful logins bring along: the last use of a token or certificate, and a Peppol provider that is seen. Safe to run twice. */
export async function recordSuccess(
  deps: Pick<AuthDeps, 'registries'>,
  on: Queryable,
  ended: readonly Ended[],
  now: number,
): Promise<void> {
  await registerProviders(
    on,
    ended.flatMap(({ provider }) => provider ?? []),
    now,
  );
  await recordTokenUse(
    on,
    ended.flatMap(({ usedToken }) => usedToken ?? []),
    now,
  );
  for (const { usedCertificate } of ended)
    if (usedCertificate !== undefined) await deps.registries.internalCertificateUsed(usedCertificate, now, on);
}
