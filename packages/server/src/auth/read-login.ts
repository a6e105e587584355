import type { AuthenticationMethod } from '@kwit/contract/enumerations';
import type { ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { NameAttribute } from '../platform/x509/name.ts';
import type { SubjectAttributes } from './identity.ts';
import { findEvidence } from './store.ts';

/** What other capabilities may know of a login: receipts print its evidence, enrollments its subject. */
export interface Login {
  method: AuthenticationMethod;
  context: ContextIdentifier;
  subject: SubjectIdentifier | undefined;
  /** Of the certificate (or the trusted profile) that signed; empty for a login by system token. */
  attributes: SubjectAttributes;
  /** Everything enrollments compare of the subject of that certificate, in its order, repeated attributes included. */
  subjectName: readonly NameAttribute[];
  /** SHA-256 of the signed document, or the number of the system token: exactly one of them. */
  documentHash: Buffer | undefined;
  systemToken: string | undefined;
}

export async function readLogin(on: Queryable, operation: string): Promise<Login | undefined> {
  const found = await findEvidence(on, operation);
  if (found === undefined) return undefined;
  const { method, context, subject, attributes, systemToken } = found.operation;
  return {
    method,
    context,
    subject,
    attributes,
    systemToken,
    documentHash: found.documentHash,
    subjectName: found.subjectName,
  };
}

/** The system token a session was opened with. */
export async function tokenOfSession(operation: string, on: Queryable): Promise<string | undefined> {
  return (await readLogin(on, operation))?.systemToken;
}
