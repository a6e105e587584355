import { refuse } from '@kwit/contract/refusal';
import type { KeyRing } from '../keys/key-ring.ts';
import { canonicalJson, fromBase64Url } from './bytes.ts';
import { MAC_BYTES, macFor } from './mac.ts';

/** What a token is good for and nothing else. The page size is left out on purpose: it may change between pages. */
export interface PageBinding {
  /** Identifier of the endpoint, not its address: both names and all prefixes of a route share it. */
  endpoint: string;
  /** Context and caller of the access token, in a form of which two never mean the same. */
  context: string;
  caller: string;
  /** The filters as they were understood, in any JSON form. */
  filters?: unknown;
  /** Reference of the session whose list is read. */
  session?: string;
}

export interface ContinuationTokens {
  issue(position: unknown, binding: PageBinding): string;
  /** The position inside a token of the same binding; undefined for an absent or empty token, which means the first page. */
  read<Position>(token: string | undefined, binding: PageBinding): Position | undefined;
}

/** Longer ones are not ours: a position is a date and a reference number. */
const MAX_TOKEN_CHARACTERS = 2048;

/** Opaque tokens for the next page: base64url of an HMAC and the position as JSON. */
export function continuationTokens(keyRing: Pick<KeyRing, 'secrets'>): ContinuationTokens {
  const mac = macFor('continuation', keyRing);

  return {
    issue(position, binding) {
      const json = JSON.stringify(position);
      const code = mac.sign(signedText(json, binding));
      const token = Buffer.concat([code, Buffer.from(json, 'utf8')]).toString('base64url');
      if (token.length > MAX_TOKEN_CHARACTERS) throw new RangeError('the position is too large for a token');
      return token;
    },

    read<Position>(token: string | undefined, binding: PageBinding) {
      if (token === undefined || token === '') return undefined;
      const bytes = token.length <= MAX_TOKEN_CHARACTERS ? fromBase64Url(token) : undefined;
      if (bytes === undefined || bytes.length <= MAC_BYTES) throw badToken();
      const json = bytes.subarray(MAC_BYTES).toString('utf8');
      // Only what this service itself wrote gets past this line, so the position needs no further checking.
      if (!mac.verify(signedText(json, binding), bytes.subarray(0, MAC_BYTES))) throw badToken();
      return JSON.parse(json) as Position;
    },
  };
}

function signedText(json: string, binding: PageBinding): string {
  const { endpoint, context, caller, filters = null, session = null } = binding;
  return canonicalJson([endpoint, context, caller, filters, session, json]);
}

function badToken(): Error {
  return refuse(21418, "'continuationToken' is not in the correct format.");
}
