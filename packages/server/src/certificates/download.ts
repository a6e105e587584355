import type { DocumentAnswer, EmptyAnswer } from '../platform/binding.ts';
import { authorityIdOf, findAuthority } from './authority.ts';
import type { CertificatesDeps } from './deps.ts';
import { currentList } from './publish-list.ts';

const NOT_FOUND: EmptyAnswer = { emptyStatus: 404 };

/** The revocation list of an authority: public, complete, and good for half a day at least. */
export async function downloadList(
  deps: Pick<CertificatesDeps, 'database' | 'clock' | 'keys' | 'jobs'>,
  fileName: string,
): Promise<DocumentAnswer | EmptyAnswer> {
  const id = authorityIdOf(fileName, '.crl');
  const bytes = id && (await currentList(deps, id));
  return bytes ? { contentType: 'application/pkix-crl', bytes } : NOT_FOUND;
}

/** The certificate of an authority, for whoever checks what it issued. */
export async function downloadAuthority(
  deps: Pick<CertificatesDeps, 'keys'>,
  fileName: string,
): Promise<DocumentAnswer | EmptyAnswer> {
  const id = authorityIdOf(fileName, '.crt');
  const authority = id && findAuthority(deps.keys, id);
  return authority ? { contentType: 'application/pkix-cert', bytes: authority.certificate.der } : NOT_FOUND;
}
