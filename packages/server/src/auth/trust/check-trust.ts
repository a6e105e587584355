import type { Random } from '../../platform/random.ts';
import type { Certificate } from '../../platform/x509/certificate.ts';
import { verifyChain } from '../../platform/x509/verify-chain.ts';
import { askIssuer } from './ask-issuer.ts';
import type { Fetch } from './fetch-bounded.ts';
import { createKeptLists } from './kept-lists.ts';

/** Details of status 460 that speak of trust. */
export const CHAIN_FAILED = 'Błąd weryfikacji łańcucha certyfikatów';
export const CHAIN_UNTRUSTED = 'Niezaufany łańcuch certyfikatów';
export const CERTIFICATE_REVOKED = 'Certyfikat odwołany';
export const CERTIFICATE_ON_HOLD = 'Certyfikat zawieszony';

export type TrustDetail =
  | typeof CHAIN_FAILED
  | typeof CHAIN_UNTRUSTED
  | typeof CERTIFICATE_REVOKED
  | typeof CERTIFICATE_ON_HOLD;

export type TrustVerdict =
  | { trusted: true }
  | { trusted: false; detail: TrustDetail; why: string }
  /** The issuer has not answered in a way that proves anything; ask again. */
  | { trusted: 'unknown'; why: string };

export interface TrustTools {
  fetch: Fetch;
  random: Random;
}

export type CheckTrust = (signer: Certificate, others: readonly Certificate[], now: number) => Promise<TrustVerdict>;

/**
 * Does the chain end in a configured anchor, and does every issuer on the way stand by its certificate?
 * The chain comes first: only addresses that a trusted authority has signed are ever asked.
 */
export function createCheckTrust(anchors: readonly Certificate[], tools: TrustTools): CheckTrust {
  const lists = createKeptLists(tools.fetch);
  return async (signer, others, now) => {
    const chain = verifyChain(signer, others, anchors, now);
    if (!chain.ok) {
      const detail = chain.reason === 'untrusted-root' ? CHAIN_UNTRUSTED : CHAIN_FAILED;
      return { trusted: false, detail, why: `${chain.reason}: ${chain.certificate.fingerprint}` };
    }
    for (const [index, certificate] of chain.path.slice(0, -1).entries()) {
      const silent = certificate.ocspAddresses.length === 0 && certificate.crlAddresses.length === 0;
      if (silent && index > 0) continue;
      if (silent)
        return { trusted: false, detail: CHAIN_FAILED, why: 'the certificate names neither a responder nor a list' };
      const issuer = chain.path[index + 1] as Certificate;
      const { status, failures } = await askIssuer({ certificate, issuer }, now, { ...tools, lists });
      if (status === 'unknown') return { trusted: 'unknown', why: failures.join('; ') };
      if (status !== 'good')
        return {
          trusted: false,
          detail: status === 'revoked' ? CERTIFICATE_REVOKED : CERTIFICATE_ON_HOLD,
          why: `${status}: ${certificate.fingerprint}`,
        };
    }
    return { trusted: true };
  };
}
