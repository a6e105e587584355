import { AUTHENTICATION_STATUS, type AuthenticationStatusCode } from '@kwit/contract/statuses';

/** How an operation can end, each with its one detail of the catalogue. */
export interface End {
  status: AuthenticationStatusCode;
  details: readonly string[];
}

function end(
  status: AuthenticationStatusCode,
  details: readonly string[] = AUTHENTICATION_STATUS[status].details,
): End {
  return { status, details };
}

export const SUCCESS = end(200, []);
export const NO_PERMISSIONS = end(415);
export const REVOKED_BY_USER = end(425);
export const DECEASED = end(470);
export const BLOCKED = end(480);
export const UNKNOWN_FAILURE = end(500, []);
export const CANCELLED = end(550);

type TokenDetail = (typeof AUTHENTICATION_STATUS)[450]['details'][number];
type CertificateDetail = (typeof AUTHENTICATION_STATUS)[460]['details'][number];

export function badToken(detail: TokenDetail): End {
  return end(450, [detail]);
}

export function badCertificate(detail: CertificateDetail): End {
  return end(460, [detail]);
}

const WRONG_CONTEXT = 'Token nie może być użyty w kontekście {contextIdentifier}';

/** The placeholder is the value of the context that was asked for. */
export function wrongContext(contextValue: string): End {
  return end(450, [WRONG_CONTEXT.replace('{contextIdentifier}', () => contextValue)]);
}
