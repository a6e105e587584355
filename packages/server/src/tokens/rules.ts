import { createHash, timingSafeEqual } from 'node:crypto';
import type { TokenStatus } from '@kwit/contract/enumerations';
import { holds } from '@kwit/contract/permissions';
import type { Caller, ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';

export interface SystemToken {
  reference: string;
  author: SubjectIdentifier;
  context: ContextIdentifier;
  permissions: readonly string[];
  description: string;
  createdAt: number;
  lastUsedAt: number | undefined;
  status: TokenStatus;
  statusDetails: readonly string[];
}

/** `nip-5265877635`: the middle part of a token's text. */
export function contextPart(context: ContextIdentifier): string {
  return `${context.type.charAt(0).toLowerCase()}${context.type.slice(1)}-${context.value}`;
}

/** The whole text of a token, which only its creator ever sees. */
export function tokenText(reference: string, context: ContextIdentifier, secret: string): string {
  return `${reference}|${contextPart(context)}|${secret}`;
}

/** 256 random bits need no slow hash: nobody guesses them, and every login computes this. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret, 'utf8').digest();
}

export function secretMatches(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}

/** Requested permissions the given ones do not contain, in the order of the request. */
export function missingPermissions(requested: readonly string[], held: readonly string[]): string[] {
  return requested.filter((permission) => !holds(held, permission));
}

/** What a token may still do: its own permissions, reduced to those its author holds now. `Owner` is never among them. */
export function usablePermissions(ofToken: readonly string[], ofAuthor: readonly string[]): string[] {
  return ofToken.filter((permission) => holds(ofAuthor, permission));
}

export function isSame(a: SubjectIdentifier, b: SubjectIdentifier): boolean {
  return a.type === b.type && a.value === b.value;
}

/** Who asks: the caller, everything he is called by, and the token his session was opened with. */
export interface Viewer {
  caller: Caller;
  identifiers: readonly SubjectIdentifier[];
  ownToken: string | undefined;
}

export type TokenView = { kind: 'all' } | { kind: 'one'; reference: string } | { kind: 'authored' };

const isTokenLogin = ({ caller }: Viewer) => caller.method === 'Token';
const isAuthor = (token: SystemToken, viewer: Viewer) => viewer.identifiers.some((own) => isSame(own, token.author));

/** Which tokens of the context the list shows. */
export function listView(viewer: Viewer): TokenView {
  const { permissions } = viewer.caller;
  if (holds(permissions, 'CredentialsManage') || holds(permissions, 'CredentialsRead')) return { kind: 'all' };
  return isTokenLogin(viewer) ? { kind: 'one', reference: viewer.ownToken ?? '' } : { kind: 'authored' };
}

/** A token login reads its siblings of the same author, although its list shows only itself. */
export function mayRead(token: SystemToken, viewer: Viewer): boolean {
  return listView(viewer).kind === 'all' || token.reference === viewer.ownToken || isAuthor(token, viewer);
}

export function mayRevoke(token: SystemToken, viewer: Viewer): boolean {
  if (holds(viewer.caller.permissions, 'CredentialsManage')) return true;
  return isTokenLogin(viewer) ? token.reference === viewer.ownToken : isAuthor(token, viewer);
}
