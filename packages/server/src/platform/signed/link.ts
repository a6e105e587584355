import type { KeyRing } from '../keys/key-ring.ts';
import { canonicalJson, fromBase64Url } from './bytes.ts';
import { macFor } from './mac.ts';

/** A link that works by itself, without a bearer token, until it expires. */
export interface LinkContents {
  method: 'GET' | 'PUT';
  /** Path without prefix and query, as the route sees it. */
  path: string;
  /** Milliseconds; whole seconds count, rounded up. */
  expiresAt: number;
  /** What the route must know and the holder may read but not change. */
  claims?: Readonly<Record<string, string>>;
}

export type LinkVerdict =
  | { ok: true; claims: Readonly<Record<string, string>>; expiresAt: number }
  | { ok: false; reason: 'expired' | 'bad-signature' };

export interface SignedLinks {
  /** The query string, without the question mark. */
  sign(link: LinkContents): string;
  /** `query` is the query string as received. The signature is judged before the time. */
  verify(request: { method: string; path: string; query: string }, now: number): LinkVerdict;
}

const MAX_QUERY_CHARACTERS = 4096;

/**
 * Signed links in the manner of storage services: `se` expiry, `sp` permission (r or w), `sc` claims, `sig` HMAC-SHA256 over all of
 * them with method and path. Values are compared decoded, so a client that percent-encodes differently does no harm.
 */
export function signedLinks(keyRing: Pick<KeyRing, 'secrets'>): SignedLinks {
  const mac = macFor('link', keyRing);

  return {
    sign({ method, path, expiresAt, claims }) {
      const se = new Date(Math.ceil(expiresAt / 1000) * 1000).toISOString().replace('.000Z', 'Z');
      const parameters = new URLSearchParams({ se, sp: permissionOf(method) });
      const hasClaims = claims !== undefined && Object.keys(claims).length > 0;
      const sc = hasClaims ? Buffer.from(canonicalJson(claims), 'utf8').toString('base64url') : '';
      if (sc !== '') parameters.set('sc', sc);
      parameters.set('sig', mac.sign(signedText(method, path, se, sc)).toString('base64url'));
      return parameters.toString();
    },

    verify({ method, path, query }, now) {
      const bad = { ok: false, reason: 'bad-signature' } as const;
      if (query.length > MAX_QUERY_CHARACTERS) return bad;
      const parameters = new URLSearchParams(query);
      const names = [...parameters.keys()];
      if (new Set(names).size !== names.length || names.some((name) => !PARAMETERS.has(name))) return bad;
      const se = parameters.get('se') ?? '';
      const sc = parameters.get('sc') ?? '';
      const code = fromBase64Url(parameters.get('sig') ?? '');
      if (code === undefined || parameters.get('sp') !== permissionOf(method)) return bad;
      if (!mac.verify(signedText(method, path, se, sc), code)) return bad;
      const expiresAt = Date.parse(se);
      if (now >= expiresAt) return { ok: false, reason: 'expired' };
      const claims = sc === '' ? {} : JSON.parse(Buffer.from(sc, 'base64url').toString('utf8'));
      return { ok: true, claims, expiresAt };
    },
  };
}

const PARAMETERS: ReadonlySet<string> = new Set(['se', 'sp', 'sc', 'sig']);

/** HEAD is GET without a body, so a link for one is good for the other. */
function permissionOf(method: string): string {
  return method === 'PUT' ? 'w' : method === 'GET' || method === 'HEAD' ? 'r' : '';
}

function signedText(method: string, path: string, se: string, sc: string): string {
  return JSON.stringify([permissionOf(method), path, se, sc]);
}
