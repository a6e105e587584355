import type { Certificate } from '../../platform/x509/certificate.ts';
import { DerError, readDer, sequenceOf } from '../../platform/x509/der.ts';

/** What an authority says of a certificate it issued. */
export type StatusAnswer = 'good' | 'revoked' | 'onHold' | 'unknown';

/** A certificate together with the one that signed it: what a question to the issuer is about. */
export interface Asked {
  certificate: Certificate;
  issuer: Certificate;
}

/** Content bytes of the serial number, as lists and answers repeat them. */
export function serialBytes(certificate: Certificate): Buffer {
  const fields = sequenceOf(readDer(certificate.tbs), 'the signed part');
  const serial = fields[fields[0]?.tag === 0xa0 ? 1 : 0];
  if (serial === undefined) throw new DerError('the serial number is missing');
  return serial.content;
}

const SKEW_MS = 5 * 60_000;
/** For an answer that does not say until when it holds. */
const OLDEST_MS = 60 * 60_000;

/** An old "good", replayed after the revocation, must not count. */
export function checkFresh(thisUpdate: number, nextUpdate: number | undefined, now: number): void {
  if (thisUpdate > now + SKEW_MS) throw new DerError('the answer is from the future');
  if (now > (nextUpdate ?? thisUpdate + OLDEST_MS) + SKEW_MS) throw new DerError('the answer is out of date');
}
