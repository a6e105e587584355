import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certificate, CertificateUnreadable, readCertificate } from '../../platform/x509/certificate.ts';

const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;

/**
 * The authorities of a folder: every `.pem`, `.crt`, `.cer` and `.der` file, PEM ones may hold several. A file that cannot be read
 * stops the start: a missing anchor would show only as refused logins.
 */
export function loadAnchors(folder: string): Certificate[] {
  const files = readdirSync(folder).filter((file) => /\.(pem|crt|cer|der)$/i.test(file));
  return files.sort().flatMap((file) => {
    const bytes = readFileSync(join(folder, file));
    const encoded = [...bytes.toString('latin1').matchAll(PEM)].map((match) => Buffer.from(match[1] ?? '', 'base64'));
    try {
      return (encoded.length > 0 ? encoded : [bytes]).map(readCertificate);
    } catch (error) {
      if (error instanceof CertificateUnreadable) throw new Error(`${join(folder, file)}: ${error.message}`);
      throw error;
    }
  });
}
