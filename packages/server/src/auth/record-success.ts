import type { Queryable } from '../platform/db/database.ts';
import { recordTokenUses } from '../tokens/login-with-token.ts';
import type { AuthDeps } from './deps.ts';
import type { Ended } from './judgement.ts';
import { registerProviders } from './peppol-store.ts';

/** What successful logins bring along: the last use of a token or certificate, and a Peppol provider that is seen. Safe to run twice. */
export async function recordSuccess(
  deps: Pick<AuthDeps, 'registries' | 'db' | 'tokens'>,
  on: Queryable,
  ended: readonly Ended[],
  now: number,
): Promise<void> {
  await registerProviders(
    on,
    ended.flatMap(({ provider }) => provider ?? []),
    now,
  );
  const uses = ended.flatMap(({ usedToken }) => (usedToken === undefined ? [] : [{ reference: usedToken, at: now }]));
  if (on === deps.db) await Promise.all(uses.map(deps.tokens.noteUse));
  else await recordTokenUses(on, uses);
  for (const { usedCertificate } of ended)
    if (usedCertificate !== undefined) await deps.registries.internalCertificateUsed(usedCertificate, now, on);
}
