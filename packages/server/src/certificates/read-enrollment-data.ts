import { detail, refuse } from '@kwit/contract/refusal';
import type { Login } from '../auth/read-login.ts';
import type { Caller } from '../platform/caller.ts';
import type { CertificatesDeps } from './deps.ts';
import { mayEnrol, type SubjectData, subjectDataOf } from './subject-data.ts';

/** The login of the caller, when someone who can own certificates signed it; `code` is the refusal for all others. */
export async function enrollingLogin(
  deps: Pick<CertificatesDeps, 'readLogin' | 'database'>,
  caller: Caller,
  code: 25001 | 25002,
): Promise<Login> {
  const login = mayEnrol(caller.method) ? await deps.readLogin(deps.database, caller.operation) : undefined;
  if (!login || caller.subject.type === 'PeppolId')
    throw refuse(
      code,
      detail(
        'Uwierzytelniono metodą {method}; certyfikat otrzymuje osoba lub podmiot uwierzytelniony podpisem lub pieczęcią.',
        {
          method: caller.method,
        },
      ),
    );
  return login;
}

/** What the subject of a request must be: attributes of the certificate that signed the login. */
export async function readEnrollmentData(
  deps: Pick<CertificatesDeps, 'readLogin' | 'database'>,
  caller: Caller,
): Promise<SubjectData> {
  return subjectDataOf(await enrollingLogin(deps, caller, 25001));
}
