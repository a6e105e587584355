import {
  children,
  DerError,
  type DerNode,
  expectTag,
  readBoolean,
  readDer,
  readInteger,
  readNamedBits,
  readOid,
  sequenceOf,
  TAG,
} from './der.ts';
import { ACCESS, EXTENSION, KEY_USAGES, type KeyUsage, UNDERSTOOD } from './oids.ts';

export interface Extension {
  oid: string;
  critical: boolean;
  value: Buffer;
}

/** The extensions that decide something; absent ones are undefined or empty. */
export interface StandardExtensions {
  keyUsage: ReadonlySet<KeyUsage> | undefined;
  extendedKeyUsage: readonly string[];
  basicConstraints: { ca: boolean; pathLength: number | undefined } | undefined;
  subjectKeyIdentifier: Buffer | undefined;
  authorityKeyIdentifier: Buffer | undefined;
  ocspAddresses: readonly string[];
  issuerAddresses: readonly string[];
  crlAddresses: readonly string[];
}

export interface Extensions {
  standard: StandardExtensions;
  extensions: readonly Extension[];
  unknownCritical: readonly string[];
}

export function readExtensions(list: DerNode | undefined): Extensions {
  const extensions = list === undefined ? [] : sequenceOf(list, 'the extensions').map(readExtension);
  const found = new Map(extensions.map((extension) => [extension.oid, extension]));
  if (found.size !== extensions.length) throw new DerError('an extension stands twice');
  const parse = <T>(oid: string, read: (node: DerNode) => T): T | undefined => {
    const extension = found.get(oid);
    return extension && read(readDer(extension.value));
  };
  const access = parse(EXTENSION.authorityInfoAccess, readAccess) ?? [];
  return {
    extensions,
    unknownCritical: extensions.filter((e) => e.critical && !UNDERSTOOD.has(e.oid)).map((e) => e.oid),
    standard: {
      keyUsage: parse(EXTENSION.keyUsage, readKeyUsage),
      extendedKeyUsage:
        parse(EXTENSION.extendedKeyUsage, (node) =>
          sequenceOf(node, 'extendedKeyUsage').map((use) => readOid(use, 'extendedKeyUsage')),
        ) ?? [],
      basicConstraints: parse(EXTENSION.basicConstraints, readBasicConstraints),
      subjectKeyIdentifier: parse(
        EXTENSION.subjectKeyIdentifier,
        (node) => expectTag(node, TAG.octetString, 'subjectKeyIdentifier').content,
      ),
      authorityKeyIdentifier: parse(
        EXTENSION.authorityKeyIdentifier,
        (node) => sequenceOf(node, 'authorityKeyIdentifier').find((part) => part.tag === 0x80)?.content,
      ),
      ocspAddresses: access.filter((a) => a.method === ACCESS.ocsp).map((a) => a.address),
      issuerAddresses: access.filter((a) => a.method === ACCESS.caIssuers).map((a) => a.address),
      crlAddresses: parse(EXTENSION.crlDistributionPoints, readCrlAddresses) ?? [],
    },
  };
}

function readExtension(node: DerNode): Extension {
  const parts = sequenceOf(node, 'an extension');
  const oid = readOid(parts[0], 'the type of an extension');
  const flag = parts.length === 3 ? parts[1] : undefined;
  if (parts.length < 2 || parts.length > 3) throw new DerError(`the extension ${oid} is not well formed`);
  const value = expectTag(parts[parts.length - 1], TAG.octetString, `the extension ${oid}`).content;
  return { oid, critical: flag !== undefined && readBoolean(flag, `criticality of ${oid}`), value };
}

function readKeyUsage(node: DerNode): ReadonlySet<KeyUsage> {
  const bits = readNamedBits(node, 'keyUsage');
  return new Set(KEY_USAGES.filter((_, index) => bits.has(index)));
}

function readBasicConstraints(node: DerNode): { ca: boolean; pathLength: number | undefined } {
  const parts = sequenceOf(node, 'basicConstraints');
  const ca = parts[0]?.tag === TAG.boolean && readBoolean(parts[0], 'basicConstraints');
  const length = parts.find((part) => part.tag === TAG.integer);
  if (length === undefined) return { ca, pathLength: undefined };
  const pathLength = Number(readInteger(length, 'the path length'));
  if (pathLength < 0) throw new DerError('the path length is negative');
  return { ca, pathLength };
}

/** Only web addresses: the rest of GeneralName names nothing that could be asked. */
function readAddress(node: DerNode | undefined): string | undefined {
  if (node?.tag !== 0x86) return undefined;
  const text = node.content.toString('latin1');
  return /^https?:\/\/[!-~]{1,2000}$/i.test(text) ? text : undefined;
}

function readAccess(node: DerNode): { method: string; address: string }[] {
  return sequenceOf(node, 'authorityInfoAccess').flatMap((description) => {
    const [method, location] = sequenceOf(description, 'authorityInfoAccess');
    const address = readAddress(location);
    return address === undefined ? [] : [{ method: readOid(method, 'authorityInfoAccess'), address }];
  });
}

/** DistributionPoint: [0] distributionPoint, in it [0] fullName, in it the names. */
function readCrlAddresses(node: DerNode): string[] {
  return sequenceOf(node, 'cRLDistributionPoints').flatMap((point) => {
    const place = sequenceOf(point, 'cRLDistributionPoints').find((part) => part.tag === 0xa0);
    const names = place && children(place).find((part) => part.tag === 0xa0);
    const addresses = names ? children(names).map(readAddress) : [];
    return addresses.filter((address) => address !== undefined);
  });
}
