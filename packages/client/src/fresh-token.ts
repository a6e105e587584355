import { refreshAccessToken } from '@kwit/contract/auth-endpoints';
import type { Endpoint, Output } from '@kwit/contract/endpoint';
import { ApiError } from './api-error.ts';
import type { Answered, RequestInput, Transport } from './transport.ts';

export interface TokenWithEnd {
  token: string;
  validUntil: string;
}

/** Tokens of a login: all that is needed to go on with it later, and a secret. */
export interface LoginTokens {
  accessToken: TokenWithEnd;
  /** Without it the login ends with its access token. */
  refreshToken?: TokenWithEnd;
}

export interface FreshToken {
  /** An access token that is good for a while. */
  current(): Promise<string>;
  /** A new one in place of this one; who comes with an old one gets the newest. */
  renew(instead: string): Promise<string>;
  tokens(): LoginTokens;
}

/** Refreshed this long before the end, so that a request on its way does not arrive too late. */
const MARGIN_MS = 60_000;

/** `clockOffset`: how far the service's clock is ahead of ours. */
export function keepFresh(transport: Transport, first: LoginTokens, clockOffset = 0): FreshToken {
  let tokens = first;
  let renewing: Promise<string> | undefined;

  async function refresh(refreshToken: string): Promise<string> {
    const { accessToken } = await transport.call(refreshAccessToken, { token: refreshToken });
    tokens = { ...tokens, accessToken };
    return accessToken.token;
  }

  function renew(instead: string): Promise<string> {
    const { accessToken, refreshToken } = tokens;
    if (accessToken.token !== instead || refreshToken === undefined) return Promise.resolve(accessToken.token);
    // All who ask while one refresh is under way share it.
    renewing ??= refresh(refreshToken.token).finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  return {
    tokens: () => tokens,
    renew,
    async current() {
      const { accessToken, refreshToken } = tokens;
      const left = Date.parse(accessToken.validUntil) - (transport.environment.now() + clockOffset);
      return left > MARGIN_MS || refreshToken === undefined ? accessToken.token : renew(accessToken.token);
    },
  };
}

/** The transport that presents the access token with every request, and after a 401 once more with a new one. */
export function authorized(transport: Transport, fresh: FreshToken): Transport {
  async function exchange<E extends Endpoint>(endpoint: E, input: RequestInput<E>): Promise<Answered<Output<E>>> {
    if (input.token !== undefined) return transport.exchange(endpoint, input);
    const token = await fresh.current();
    try {
      return await transport.exchange(endpoint, { ...input, token });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const renewed = await fresh.renew(token);
      if (renewed === token) throw error;
      return transport.exchange(endpoint, { ...input, token: renewed });
    }
  }
  return { ...transport, exchange, call: async (endpoint, input) => (await exchange(endpoint, input)).body };
}
