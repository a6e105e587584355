import { formatTimestamp } from '@kwit/contract/date-time';
import type { PublishedKey } from '../platform/keys/key-ring.ts';
import type { AuthDeps } from './deps.ts';

const USAGES = {
  TokenEncryption: 'SvcTokenEncryption',
  SymmetricKeyEncryption: 'SymmetricKeyEncryption',
} as const satisfies Record<PublishedKey['purpose'], string>;

/** The encryption keys as published, in the order of the key ring: valid ones first, the newest of them first. */
export function listPublicKeys(deps: Pick<AuthDeps, 'keys'>) {
  return deps.keys.published().map((key) => ({
    certificate: key.certificate.toString('base64'),
    certificateId: key.certificateId,
    publicKeyId: key.publicKeyId,
    validFrom: formatTimestamp(key.validFrom),
    validTo: formatTimestamp(key.validTo),
    usage: [USAGES[key.purpose]],
  }));
}
