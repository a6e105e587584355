import type { KeyObject } from 'node:crypto';
import { explicit, octets, oid, sequence, time, unsigned, value, wholeBits } from './der-write.ts';
import { authorityKeyIdentifier } from './make-certificate.ts';
import { signerFor } from './signature-algorithm.ts';

export interface RevokedEntry {
  serial: Buffer;
  revokedAt: number;
  /** CRLReason; 0 is left out, as RFC 5280 5.3.1 asks. */
  reason: number;
}

export interface CrlContents {
  issuerDer: Buffer;
  issuerSpki: Buffer;
  /** Grows with every list of the authority. */
  number: number;
  thisUpdate: number;
  nextUpdate: number;
  revoked: readonly RevokedEntry[];
}

const REASON_CODE = '2.5.29.21';
const CRL_NUMBER = '2.5.29.20';
const ENUMERATED = 0x0a;

/** DER of a version 2 revocation list, signed with SHA-256 (P-256) or SHA-384 (P-384). */
export async function makeCrl(contents: CrlContents, signingKey: KeyObject): Promise<Buffer> {
  const signer = signerFor(signingKey);
  const authority = authorityKeyIdentifier(contents.issuerSpki);
  const tbs = sequence(
    unsigned(1),
    signer.identifier,
    contents.issuerDer,
    time(contents.thisUpdate),
    time(contents.nextUpdate),
    // An empty list must be absent.
    ...(contents.revoked.length === 0 ? [] : [sequence(...contents.revoked.map(writeEntry))]),
    explicit(
      0,
      sequence(
        sequence(oid(authority.oid), octets(authority.value)),
        sequence(oid(CRL_NUMBER), octets(unsigned(contents.number))),
      ),
    ),
  );
  return sequence(tbs, signer.identifier, wholeBits(await signer.sign(tbs)));
}

function writeEntry({ serial, revokedAt, reason }: RevokedEntry): Buffer {
  const code = sequence(sequence(oid(REASON_CODE), octets(value(ENUMERATED, Buffer.from([reason])))));
  return sequence(unsigned(serial), time(revokedAt), ...(reason === 0 ? [] : [code]));
}
