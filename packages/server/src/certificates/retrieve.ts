import type { retrieveCertificates } from '@kwit/contract/certificate-endpoints';
import type { Output } from '@kwit/contract/endpoint';
import type { Caller } from '../platform/caller.ts';
import type { CertificatesDeps } from './deps.ts';
import { ownersOf } from './owners.ts';
import { findOwned } from './store.ts';

/** Certificates in any state, in the order asked for, each once. Serial numbers of others are left out like unknown ones. */
export async function retrieve(
  deps: Pick<CertificatesDeps, 'database' | 'clock' | 'linkedIdentifiers'>,
  caller: Caller,
  serials: readonly string[],
): Promise<Output<typeof retrieveCertificates>> {
  const wanted = [...new Set(serials)];
  const found = await findOwned(deps.database, await ownersOf(deps, caller), wanted);
  const bySerial = new Map(found.map((certificate) => [certificate.serial, certificate]));
  return {
    certificates: wanted
      .map((serial) => bySerial.get(serial))
      .filter((certificate) => certificate !== undefined)
      .map(({ der, name, serial, type }) => ({
        certificate: der.toString('base64'),
        certificateName: name,
        certificateSerialNumber: serial,
        certificateType: type,
      })),
  };
}
