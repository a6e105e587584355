import { type Certificate, isSignedBy } from './certificate.ts';

export type ChainFault =
  | 'not-yet-valid'
  | 'expired'
  /** The chain ends in a self-signed certificate that is not among the anchors. */
  | 'untrusted-root'
  /** The issuer of a certificate is neither among the anchors nor was it sent. */
  | 'chain-broken'
  /** An issuer of the right name is there, but its key did not make the signature. */
  | 'bad-signature'
  | 'weak-algorithm'
  /** CA:TRUE or keyCertSign is missing on an issuer. */
  | 'not-an-authority'
  | 'path-too-long'
  | 'unknown-critical-extension';

export type ChainVerdict =
  | { ok: true; path: readonly Certificate[] }
  | { ok: false; reason: ChainFault; certificate: Certificate };

const MAX_DEPTH = 8;
/** Signatures checked for one chain: a heap of same-named certificates must not multiply the work. */
const MAX_CHECKS = 40;

/**
 * Looks for a path from `leaf` to one of `anchors` that holds at the moment `at` (RFC 5280 6.1 without policies and name constraints:
 * a certificate that marks those critical fails). Anchors are trusted because they are configured; their times are checked too.
 */
export function verifyChain(
  leaf: Certificate,
  intermediates: readonly Certificate[],
  anchors: readonly Certificate[],
  at: number,
): ChainVerdict {
  let checks = 0;
  let deepest: { depth: number; verdict: ChainVerdict & { ok: false } } | undefined;

  // The fault nearest to an anchor is the one worth telling.
  const fail = (path: readonly Certificate[], reason: ChainFault, certificate: Certificate): undefined => {
    if (deepest === undefined || path.length > deepest.depth)
      deepest = { depth: path.length, verdict: { ok: false, reason, certificate } };
    return undefined;
  };

  const extend = (path: readonly Certificate[]): readonly Certificate[] | undefined => {
    const top = path[path.length - 1] as Certificate;
    const fault = faultOf(top, path.length - 1, at);
    if (fault) return fail(path, fault, top);
    if (isAmong(top, anchors)) return path;
    if (top.isSelfSigned) return fail(path, 'untrusted-root', top);
    if (path.length >= MAX_DEPTH) return fail(path, 'path-too-long', top);
    if (top.signatureAlgorithm === undefined || top.signatureAlgorithm.weak) return fail(path, 'weak-algorithm', top);
    const named = unique([...anchors, ...intermediates]).filter(
      (candidate) =>
        candidate.subjectDer.equals(top.issuerDer) && !path.some((below) => isSameAuthority(below, candidate)),
    );
    if (named.length === 0) return fail(path, 'chain-broken', top);
    for (const candidate of named) {
      checks += 1;
      if (checks > MAX_CHECKS) return fail(path, 'path-too-long', top);
      if (!isSignedBy(top, candidate)) fail(path, 'bad-signature', top);
      else {
        const found = extend([...path, candidate]);
        if (found) return found;
      }
    }
    return undefined;
  };

  const path = extend([leaf]);
  if (path) return { ok: true, path };
  return deepest?.verdict ?? { ok: false, reason: 'chain-broken', certificate: leaf };
}

/** What is wrong with a certificate by itself at its place: 0 is the leaf, `below` certificates stand under an issuer. */
function faultOf(certificate: Certificate, below: number, at: number): ChainFault | undefined {
  if (at < certificate.notBefore) return 'not-yet-valid';
  // notAfter is the last second that counts, to its end.
  if (at >= certificate.notAfter + 1000) return 'expired';
  if (certificate.unknownCritical.length > 0) return 'unknown-critical-extension';
  if (below === 0) return undefined;
  const { basicConstraints, keyUsage } = certificate;
  if (!basicConstraints?.ca || (keyUsage && !keyUsage.has('keyCertSign'))) return 'not-an-authority';
  // The leaf does not count towards the length.
  if (basicConstraints.pathLength !== undefined && below - 1 > basicConstraints.pathLength) return 'path-too-long';
  return undefined;
}

function isAmong(certificate: Certificate, list: readonly Certificate[]): boolean {
  return list.some((other) => other.der.equals(certificate.der));
}

/** One authority may hold several certificates; a path that meets it twice runs in a circle. */
function isSameAuthority(one: Certificate, other: Certificate): boolean {
  return one.subjectDer.equals(other.subjectDer) && one.spki.equals(other.spki);
}

function unique(list: readonly Certificate[]): Certificate[] {
  return [...new Map(list.map((certificate) => [certificate.fingerprint, certificate])).values()];
}
