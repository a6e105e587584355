import { createHash, type KeyObject } from 'node:crypto';
import { CertificateUnreadable, isSignedBy, readCertificate } from '../../platform/x509/certificate.ts';
import {
  children,
  DerError,
  type DerNode,
  expectTag,
  readDer,
  readOid,
  readTime,
  sequenceOf,
  TAG,
} from '../../platform/x509/der.ts';
import { explicit, nothing, octets, oid, sequence, value } from '../../platform/x509/der-write.ts';
import { keyIdentifier } from '../../platform/x509/make-certificate.ts';
import { readSignedData } from './signed-data.ts';
import { type Asked, checkFresh, type StatusAnswer, serialBytes } from './status.ts';

const SHA1 = '1.3.14.3.2.26';
const NONCE = '1.3.6.1.5.5.7.48.1.2';
const BASIC = '1.3.6.1.5.5.7.48.1.1';
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const ENUMERATED = 0x0a;
const HOLD = 6;
/** More would only make us verify signatures. */
const MOST_RESPONDERS = 4;

/** Names the certificate in question. SHA-1 here is an index, not a proof, and the only hash every responder knows. */
function certificateId({ certificate, issuer }: Asked): Buffer {
  return sequence(
    sequence(oid(SHA1), nothing),
    octets(createHash('sha1').update(certificate.issuerDer).digest()),
    octets(keyIdentifier(issuer.spki)),
    value(TAG.integer, serialBytes(certificate)),
  );
}

/** RFC 6960 4.1: one certificate, with a nonce that ties the answer to this question. */
export function ocspRequest(asked: Asked, nonce: Buffer): Buffer {
  const extension = sequence(oid(NONCE), octets(octets(nonce)));
  return sequence(sequence(sequence(sequence(certificateId(asked))), explicit(2, sequence(extension))));
}

function readEnumerated(node: DerNode | undefined, what: string): number {
  const { content } = expectTag(node, ENUMERATED, what);
  if (content.length !== 1) throw new DerError(`${what} is out of range`);
  return content[0] as number;
}

/** Keys that may have signed: the issuer's own, and those of responders the issuer appointed that are valid now. */
function entitledKeys({ issuer }: Asked, enclosed: DerNode | undefined, now: number): KeyObject[] {
  const list = enclosed?.tag === 0xa0 ? sequenceOf(children(enclosed)[0], 'the enclosed certificates') : [];
  const appointed = list.slice(0, MOST_RESPONDERS).flatMap(({ bytes }) => {
    const certificate = readCertificate(bytes);
    const isAppointed =
      certificate.extendedKeyUsage.includes(OCSP_SIGNING) &&
      certificate.issuerDer.equals(issuer.subjectDer) &&
      isSignedBy(certificate, issuer) &&
      certificate.notBefore <= now &&
      now < certificate.notAfter + 1000;
    return isAppointed ? [certificate.publicKey] : [];
  });
  return [issuer.publicKey, ...appointed];
}

function readSingle(single: DerNode, id: Buffer, now: number): StatusAnswer | undefined {
  const [certId, status, thisUpdate, ...rest] = sequenceOf(single, 'a single answer');
  if (certId === undefined || status === undefined || !certId.bytes.equals(id)) return undefined;
  const next = rest.find((part) => part.tag === 0xa0);
  checkFresh(readTime(thisUpdate, 'thisUpdate'), next && readTime(children(next)[0], 'nextUpdate'), now);
  if (status.tag === 0x80) return 'good';
  if (status.tag !== 0xa1) return 'unknown';
  const reason = children(status).find((part) => part.tag === 0xa0);
  return reason && readEnumerated(children(reason)[0], 'the reason') === HOLD ? 'onHold' : 'revoked';
}

function nonceOf(extensions: DerNode | undefined): Buffer | undefined {
  if (extensions?.tag !== 0xa1) return undefined;
  for (const extension of sequenceOf(children(extensions)[0], 'the extensions of the answer')) {
    const parts = sequenceOf(extension, 'an extension of the answer');
    if (readOid(parts[0], 'an extension of the answer') === NONCE)
      return expectTag(parts.at(-1), TAG.octetString, 'the nonce').content;
  }
  return undefined;
}

/** Throws DerError when the answer proves nothing: not successful, of another certificate, not signed by who may, not fresh. */
export function readOcspAnswer(bytes: Buffer, asked: Asked, nonce: Buffer, now: number): StatusAnswer {
  const [status, wrapped] = sequenceOf(readDer(bytes), 'the answer');
  const code = readEnumerated(status, 'the status of the answer');
  if (code !== 0) throw new DerError(`the responder refused with status ${code}`);
  const [type, inner] = sequenceOf(children(expectTag(wrapped, 0xa0, 'the content of the answer'))[0], 'the answer');
  if (readOid(type, 'the type of the answer') !== BASIC) throw new DerError('the answer is not a basic one');
  const basic = readSignedData(readDer(expectTag(inner, TAG.octetString, 'the basic answer').content), 'the answer');
  let keys: KeyObject[];
  try {
    keys = entitledKeys(asked, basic.rest[0], now);
  } catch (error) {
    if (error instanceof CertificateUnreadable) throw new DerError(error.message);
    throw error;
  }
  if (!keys.some((key) => basic.isSignedBy(key))) throw new DerError('the answer is not signed by an entitled key');

  const data = sequenceOf(basic.content, 'the signed answer');
  // Told apart by place: the name of the responder carries the same tag [1] as the extensions after the list.
  const list = data.findIndex((part) => part.tag === TAG.sequence);
  const answered = nonceOf(data[list + 1]);
  // Many responders hand out answers made in advance; those carry no nonce and are bound by their times alone.
  if (answered && !answered.equals(octets(nonce))) throw new DerError('the answer belongs to another question');
  const id = certificateId(asked);
  for (const single of sequenceOf(data[list], 'the list of answers')) {
    const answer = readSingle(single, id, now);
    if (answer !== undefined) return answer;
  }
  throw new DerError('the answer does not speak of this certificate');
}
