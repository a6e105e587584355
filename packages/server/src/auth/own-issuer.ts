import { type Certificate, readCertificate } from '../platform/x509/certificate.ts';

const read = new WeakMap<Buffer, Certificate>();

function certificateOf(der: Buffer): Certificate {
  let certificate = read.get(der);
  if (certificate === undefined) {
    certificate = readCertificate(der);
    read.set(der, certificate);
  }
  return certificate;
}

/** Does the certificate name an authority of ours as its issuer? Whether that is true is for the registry to say. */
export function isOwnIssuer(authorities: readonly Buffer[], certificate: Certificate): boolean {
  return authorities.some((der) => {
    const { subjectDer } = certificateOf(der);
    return certificate.issuerDer.equals(subjectDer) && !certificate.subjectDer.equals(subjectDer);
  });
}
