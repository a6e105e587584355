import type { Certificate } from '../../platform/x509/certificate.ts';
import {
  children,
  DerError,
  type DerNode,
  expectTag,
  readBoolean,
  readDer,
  readOid,
  readTime,
  sequenceOf,
  TAG,
} from '../../platform/x509/der.ts';
import { readSignedData } from './signed-data.ts';
import { checkFresh, type StatusAnswer, serialBytes } from './status.ts';

const REASON = '2.5.29.21';
const ISSUING_POINT = '2.5.29.28';
/** Critical extensions that are understood. Any other (a delta list's, for example) makes a list we cannot judge by. */
const UNDERSTOOD = new Set([ISSUING_POINT, '2.5.29.20', '2.5.29.35']);
const HOLD = 6;

interface Extension {
  oid: string;
  critical: boolean;
  value: Buffer;
}

function readExtensions(list: DerNode | undefined): Extension[] {
  return sequenceOf(list, 'the extensions').map((node) => {
    const parts = sequenceOf(node, 'an extension');
    return {
      oid: readOid(parts[0], 'an extension'),
      critical: parts[1]?.tag === TAG.boolean && readBoolean(parts[1], 'criticality'),
      value: expectTag(parts.at(-1), TAG.octetString, 'the value of an extension').content,
    };
  });
}

/** A list of authorities or attributes only, of some reasons only, or of several issuers does not answer for our certificate. */
function checkScope(extensions: readonly Extension[]): void {
  for (const { oid, critical, value } of extensions) {
    if (critical && !UNDERSTOOD.has(oid)) throw new DerError(`the list has the critical extension ${oid}`);
    if (oid !== ISSUING_POINT) continue;
    for (const { tag, content } of sequenceOf(readDer(value), 'the issuing point')) {
      const says = content[0] !== 0;
      if (tag === 0x83 || ((tag === 0x82 || tag === 0x84 || tag === 0x85) && says))
        throw new DerError('the list covers only a part of the certificates');
    }
  }
}

/** Whole bytes (tag, length, content) of the value at `at`; lists reach a million entries, so no node is made of each. */
function sizeAt(bytes: Buffer, at: number): { header: number; size: number } {
  const first = bytes[at + 1];
  if (first === undefined) throw new DerError('the list ends inside an entry');
  if (first < 0x80) return { header: 2, size: 2 + first };
  const count = first & 0x7f;
  if (count === 0 || count > 4 || at + 2 + count > bytes.length) throw new DerError('an entry has no readable length');
  return { header: 2 + count, size: 2 + count + bytes.readUIntBE(at + 2, count) };
}

function findEntry(entries: Buffer, serial: Buffer): DerNode | undefined {
  for (let at = 0; at < entries.length; ) {
    const { header, size } = sizeAt(entries, at);
    if (entries[at] !== TAG.sequence || at + size > entries.length) throw new DerError('an entry is not whole');
    const start = at + header;
    if (entries[start] !== TAG.integer) throw new DerError('an entry has no serial number');
    const number = sizeAt(entries, start);
    if (entries.subarray(start + number.header, start + number.size).equals(serial))
      return readDer(entries.subarray(at, at + size));
    at += size;
  }
  return undefined;
}

function reasonOf(entry: DerNode): StatusAnswer {
  const extensions = sequenceOf(entry, 'an entry')[2];
  const reason = extensions && readExtensions(extensions).find(({ oid }) => oid === REASON);
  return reason && readDer(reason.value).content[0] === HOLD ? 'onHold' : 'revoked';
}

/** A list whose signature and scope were found in order: it can be asked again and again while it is fresh. */
export interface RevocationList {
  issuerDer: Buffer;
  thisUpdate: number;
  nextUpdate: number | undefined;
  /** As they stand in the list, one after the other. */
  entries: Buffer;
}

/** Throws DerError when the list can prove nothing: not signed by the issuer, or not of full scope. */
export function readCrl(bytes: Buffer, issuer: Certificate): RevocationList {
  // Lists are served as DER; some servers hand out PEM.
  const der = bytes.subarray(0, 11).toString('latin1') === '-----BEGIN ' ? fromPem(bytes) : bytes;
  const list = readSignedData(readDer(der), 'the revocation list');
  const fields = sequenceOf(list.content, 'the revocation list');
  if (fields[0]?.tag === TAG.integer) fields.shift();
  const [, name, thisUpdate, ...rest] = fields;
  if (!list.isSignedBy(issuer.publicKey)) throw new DerError('the list is not signed by the issuer');
  const hasEnd = rest[0]?.tag === TAG.utcTime || rest[0]?.tag === TAG.generalizedTime;
  const nextUpdate = hasEnd ? readTime(rest.shift(), 'nextUpdate') : undefined;
  const entries = rest[0]?.tag === TAG.sequence ? rest.shift() : undefined;
  const extensions = rest.find((part) => part.tag === 0xa0);
  if (extensions) checkScope(readExtensions(children(extensions)[0]));
  return {
    issuerDer: expectTag(name, TAG.sequence, 'the issuer of the list').bytes,
    thisUpdate: readTime(thisUpdate, 'thisUpdate'),
    nextUpdate,
    entries: entries?.content ?? Buffer.alloc(0),
  };
}

/** Throws DerError when the list does not answer for this certificate at this moment: of another issuer, or not fresh. */
export function statusIn(list: RevocationList, certificate: Certificate, now: number): StatusAnswer {
  if (!list.issuerDer.equals(certificate.issuerDer)) throw new DerError('the list is of another issuer');
  checkFresh(list.thisUpdate, list.nextUpdate, now);
  const entry = findEntry(list.entries, serialBytes(certificate));
  return entry ? reasonOf(entry) : 'good';
}

function fromPem(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replace(/-----[^-]+-----/g, ''), 'base64');
}
