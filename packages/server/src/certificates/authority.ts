import type { KeyObject } from 'node:crypto';
import type { SigningKey } from '../platform/keys/key-ring.ts';
import { type Certificate, readCertificate } from '../platform/x509/certificate.ts';
import { keyIdentifier } from '../platform/x509/make-certificate.ts';

/** A key that issues or once issued, with the certificate it has now. */
export interface IssuingAuthority {
  /** Key identifier in upper-case hexadecimal digits: stays when the key gets a new certificate. */
  id: string;
  certificate: Certificate;
  privateKey: KeyObject;
}

const read = new WeakMap<Buffer, { id: string; certificate: Certificate }>();

export function authorityOf({ chain, privateKey }: SigningKey): IssuingAuthority {
  const der = chain[0] as Buffer;
  let known = read.get(der);
  if (known === undefined) {
    const certificate = readCertificate(der);
    known = { id: keyIdentifier(certificate.spki).toString('hex').toUpperCase(), certificate };
    read.set(der, known);
  }
  return { ...known, privateKey };
}

export function findAuthority(keys: { issuers(): readonly SigningKey[] }, id: string): IssuingAuthority | undefined {
  return keys
    .issuers()
    .map(authorityOf)
    .find((authority) => authority.id === id);
}

/** Where lists and certificates of an authority are found, below the address of the service. */
export function listPath(id: string): string {
  return `/pki/crl/${id.toLowerCase()}.crl`;
}

/** The authority a file name speaks of, when it has the form that we hand out. */
export function authorityIdOf(fileName: string, ending: '.crl' | '.crt'): string | undefined {
  const id = fileName.endsWith(ending) ? fileName.slice(0, -ending.length) : '';
  return /^[0-9a-f]{40}$/i.test(id) ? id.toUpperCase() : undefined;
}
