import type { CertificateType } from '@kwit/contract/enumerations';
import type { Certificate } from '../platform/x509/certificate.ts';
import { oid, sequence } from '../platform/x509/der-write.ts';
import type { Extension } from '../platform/x509/extensions.ts';
import {
  authorityKeyIdentifier,
  basicConstraints,
  type CertificateContents,
  crlDistributionPoint,
  keyUsage,
  subjectKeyIdentifier,
} from '../platform/x509/make-certificate.ts';
import { writeName } from '../platform/x509/name.ts';
import { EXTENSION, type KeyUsage } from '../platform/x509/oids.ts';
import type { CertificateIntent } from './model.ts';
import { NAME_SUFFIX, nameOf, type SubjectData } from './subject-data.ts';

/** One purpose a certificate: logging in, or standing for what was issued offline. */
const KEY_USAGE: Readonly<Record<CertificateType, KeyUsage>> = {
  Authentication: 'digitalSignature',
  Offline: 'nonRepudiation',
};

const QC_TYPE = '0.4.0.1862.1.6';

/** QcType: for electronic signatures (a person) or for electronic seals (a company). */
function qcStatements(subject: SubjectData): Extension {
  const isSeal = subject.givenName === undefined && subject.surname === undefined;
  const value = sequence(sequence(oid(QC_TYPE), sequence(oid(`${QC_TYPE}.${isSeal ? 2 : 1}`))));
  return { oid: EXTENSION.qcStatements, critical: false, value };
}

/** Everything the certificate of an intent says; nothing is decided here any more. */
export function contentsOf(intent: CertificateIntent, issuer: Certificate, listAddress: string): CertificateContents {
  const { subject, type, spki } = intent;
  return {
    serial: Buffer.from(intent.serial, 'hex'),
    issuerDer: issuer.subjectDer,
    subjectDer: writeName(nameOf(subject, `${subject.commonName}${NAME_SUFFIX[type]}`)),
    notBefore: intent.validFrom,
    notAfter: intent.validTo,
    spki,
    extensions: [
      authorityKeyIdentifier(issuer.spki),
      basicConstraints(false),
      keyUsage(KEY_USAGE[type]),
      subjectKeyIdentifier(spki),
      crlDistributionPoint(listAddress),
      qcStatements(subject),
    ],
  };
}
