import type { DocumentAnswer, EmptyAnswer } from '../platform/binding.ts';
import type { SessionDeps } from './deps.ts';
import { documentAnswer, invoiceUpo, pageUpo, type ReceiptDeps } from './read-upo.ts';
import { findSession } from './store.ts';

/** A receipt by its signed link: the link is the credential. Expired, altered or for nothing we have: 403 without a body. */
export async function downloadUpo(
  deps: SessionDeps & ReceiptDeps,
  request: { path: string; query: string; session: string; kind: string; file: string },
): Promise<DocumentAnswer | EmptyAnswer> {
  const refused = { emptyStatus: 403 };
  const verdict = deps.links.verify({ method: 'GET', path: request.path, query: request.query }, deps.clock.now());
  if (!verdict.ok) return refused;
  const session = await findSession(deps.database, request.session.toUpperCase());
  const name = /^upo_(.+)\.xml$/.exec(request.file)?.[1];
  if (!session || name === undefined) return refused;
  const bytes =
    request.kind === 'session-upo'
      ? await pageUpo(deps, session, { page: Number(name) + 1 })
      : await invoiceUpo(deps, session, name);
  return bytes ? documentAnswer(bytes) : refused;
}
