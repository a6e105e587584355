import { checkContextIdentifier } from '@kwit/contract/identifiers';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, refuse } from '@kwit/contract/refusal';
import type { ContextIdentifier } from '../platform/caller.ts';
import { findUsable } from '../platform/keys/published-keys.ts';
import { acceptSubmission, type InitAnswer } from './accept-submission.ts';
import type { AuthDeps } from './deps.ts';
import { type RequestedIps, restriction, reversedRanges } from './ip-policy.ts';
import { challengeMoment } from './issue-challenge.ts';
import { judgeToken } from './judge-token.ts';

export interface TokenSubmission {
  challenge: string;
  contextIdentifier: ContextIdentifier;
  encryptedToken: string;
  publicKeyId?: string | undefined;
  authorizationPolicy?: { allowedIps?: RequestedIps | undefined } | undefined;
}

/** Rules of the body that its schema cannot say. */
function bodyProblems(body: TokenSubmission): string[] {
  const problems: string[] = [];
  const { type, value } = body.contextIdentifier;
  if (!checkContextIdentifier(type, value)) problems.push("'contextIdentifier.value' is not in the correct format.");
  const ranges = body.authorizationPolicy?.allowedIps?.ip4Ranges ?? [];
  for (const index of reversedRanges(ranges))
    problems.push(
      `'authorizationPolicy.allowedIps.ip4Ranges[${index}]' must not start after its end. You entered ${ranges[index]}.`,
    );
  return problems;
}

/**
 * Login with a system token. A challenge that is not live and a token that does not decrypt are accepted here and end
 * the operation with 450, so that the answer to a submission tells nothing about the ciphertext.
 */
export async function submitToken(
  deps: Pick<AuthDeps, 'db' | 'tokens' | 'jobs' | 'clock' | 'references' | 'keys' | 'settings' | 'registries' | 'log'>,
  body: TokenSubmission,
): Promise<InitAnswer> {
  const problems = bodyProblems(body);
  if (problems.length > 0) throw refuse(21405, ...problems);
  const now = deps.clock.now();
  const { publicKeyId } = body;
  if (publicKeyId !== undefined && !findUsable(deps.keys.published(), publicKeyId, 'TokenEncryption', now))
    throw refuse(21470, detail(DETAIL_TEXTS.unknownKey, { keyId: publicKeyId }));

  const evidence = { encryptedToken: body.encryptedToken, ...(publicKeyId !== undefined && { publicKeyId }) };
  const accept = (challenge: string | undefined) => {
    const reference = deps.references.next('AU');
    return acceptSubmission(deps, {
      operation: {
        reference,
        startedAt: now,
        method: 'Token',
        context: body.contextIdentifier,
        subject: undefined,
        attributes: {},
        allowedIps: restriction(body.authorizationPolicy?.allowedIps),
        documentHash: undefined,
        challengeMs: challenge === undefined ? undefined : challengeMoment(challenge),
      },
      challenge,
      judge: (operation) => judgeToken(deps, operation, evidence, now, deps.db),
      submission: { reference, kind: 'token', ...evidence },
    });
  };
  // A challenge that cannot be consumed (unknown, expired, used) is accepted all the same and ends the login.
  const accepted = (await accept(body.challenge)) ?? (await accept(undefined));
  if (accepted === undefined) throw new Error('a submission without a challenge was not recorded');
  return accepted;
}
