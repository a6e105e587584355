import type { Random } from '../../platform/random.ts';
import type { Fetch } from './fetch-bounded.ts';
import type { KeptLists } from './kept-lists.ts';
import { ocspRequest, readOcspAnswer } from './ocsp.ts';
import type { Asked, StatusAnswer } from './status.ts';

export interface IssuerAnswer {
  status: StatusAnswer;
  /** Why a source gave nothing, for the log. */
  failures: string[];
}

/** A certificate of the wild names one or two; more would be a way to make us knock at doors. */
const MOST_ADDRESSES = 3;

/** OCSP first, then the revocation list. Silence, nonsense and "unknown" are all the same: not known yet. */
export async function askIssuer(
  asked: Asked,
  now: number,
  tools: { fetch: Fetch; random: Random; lists: KeptLists },
): Promise<IssuerAnswer> {
  const { ocspAddresses, crlAddresses } = asked.certificate;
  const failures: string[] = [];
  const attempt = async (url: string, ask: () => Promise<StatusAnswer>): Promise<StatusAnswer> => {
    try {
      const status = await ask();
      if (status === 'unknown') failures.push(`${url}: the certificate is unknown there`);
      return status;
    } catch (error) {
      failures.push(`${url}: ${error instanceof Error ? error.message : String(error)}`);
      return 'unknown';
    }
  };
  for (const url of ocspAddresses.slice(0, MOST_ADDRESSES)) {
    const nonce = tools.random.bytes(16);
    const status = await attempt(url, async () => {
      const body = { type: 'application/ocsp-request', bytes: ocspRequest(asked, nonce) };
      return readOcspAnswer(await tools.fetch(url, body), asked, nonce, now);
    });
    if (status !== 'unknown') return { status, failures };
  }
  for (const url of crlAddresses.slice(0, MOST_ADDRESSES)) {
    const status = await attempt(url, () => tools.lists.statusOf(url, asked, now));
    if (status !== 'unknown') return { status, failures };
  }
  return { status: 'unknown', failures };
}
