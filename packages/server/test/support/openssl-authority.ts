import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { type Certificate, readCertificate } from '../../src/platform/x509/certificate.ts';
import { type OpensslFolder, opensslFolder } from './openssl.ts';

/** A real certificate authority with its own database, run by openssl: issues, revokes, answers OCSP, makes lists. */
export interface Authority {
  folder: OpensslFolder;
  root: Certificate;
  /** Issues a seal (or whatever the subject says) with these status addresses. */
  issue(name: string, options: { subject?: string; ocsp?: string; crl?: string; days?: number }): Certificate;
  revoke(name: string, reason?: string): void;
  /** DER of a revocation list as of now. */
  list(): Buffer;
  /** Starts `openssl ocsp` on the port. Its answers are signed by an appointed responder, or by the authority itself. */
  respond(port: number, signer?: 'appointed' | 'authority' | 'stranger'): Promise<{ stop(): Promise<void> }>;
  remove(): void;
}

const CONFIG = `
[ca]
default_ca = authority
[authority]
dir = .
database = index.txt
serial = serial
crlnumber = crlnumber
new_certs_dir = .
certificate = root.pem
private_key = root.key
default_md = sha256
default_days = 30
default_crl_days = 2
policy = anything
unique_subject = no
email_in_dn = no
[anything]
countryName = optional
organizationName = optional
organizationIdentifier = optional
commonName = supplied
givenName = optional
surname = optional
serialNumber = optional
[req]
distinguished_name = none
[none]
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign, digitalSignature
[responder]
extendedKeyUsage = OCSPSigning
[plain]
basicConstraints = CA:FALSE
`;

export function createAuthority(name = 'Urząd próbny'): Authority {
  const folder = opensslFolder();
  const config = folder.write('ca.cnf', CONFIG);
  folder.write('index.txt', '');
  folder.write('serial', '1000\n');
  folder.write('crlnumber', '01\n');
  const key = (file: string) =>
    folder.run('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', file);
  const selfSign = (file: string, subject: string) => {
    key(`${file}.key`);
    // biome-ignore format: one option and its value per pair
    folder.run('req', '-new', '-x509', '-utf8', '-config', config, '-extensions', 'root', '-key', `${file}.key`,
      '-subj', subject, '-days', '60', '-out', `${file}.pem`);
  };
  const sign = (file: string, subject: string, extensions: string[]) => {
    key(`${file}.key`);
    // biome-ignore format: one option and its value per pair
    folder.run('req', '-new', '-utf8', '-config', config, '-key', `${file}.key`, '-subj', subject, '-out', `${file}.csr`);
    // biome-ignore format: one option and its value per pair
    folder.run('ca', '-batch', '-notext', '-utf8', '-config', config, ...extensions, '-in', `${file}.csr`, '-out', `${file}.pem`);
  };
  selfSign('root', `/C=PL/O=${name}/CN=${name} Root`);
  sign('responder', '/CN=Responder', ['-extensions', 'responder']);
  selfSign('stranger', '/CN=Stranger');

  return {
    folder,
    root: readCertificate(folder.der('root.pem')),
    issue(file, options) {
      const addresses = [
        ...(options.ocsp ? [`authorityInfoAccess = OCSP;URI:${options.ocsp}`] : []),
        ...(options.crl ? [`crlDistributionPoints = URI:${options.crl}`] : []),
      ];
      const extensions = folder.write(`${file}.ext`, ['basicConstraints = CA:FALSE', ...addresses, ''].join('\n'));
      const subject = options.subject ?? '/C=PL/organizationIdentifier=VATPL-5265877635/O=Firma/CN=Firma';
      sign(file, subject, ['-extfile', extensions, '-days', String(options.days ?? 30)]);
      return readCertificate(folder.der(`${file}.pem`));
    },
    revoke(file, reason) {
      const why = reason ? ['-crl_reason', reason] : [];
      folder.run('ca', '-config', config, '-revoke', `${file}.pem`, ...why);
    },
    list() {
      folder.run('ca', '-config', config, '-gencrl', '-out', 'list.pem');
      folder.run('crl', '-in', 'list.pem', '-outform', 'DER', '-out', 'list.der');
      return folder.read('list.der');
    },
    async respond(port, signer = 'appointed') {
      const file = { appointed: 'responder', authority: 'root', stranger: 'stranger' }[signer];
      // biome-ignore format: one option and its value per pair
      const child = spawn('openssl', ['ocsp', '-index', 'index.txt', '-CA', 'root.pem', '-port', String(port),
        '-rsigner', `${file}.pem`, '-rkey', `${file}.key`, '-ndays', '1', '-timeout', '30'],
        { cwd: dirname(config), stdio: ['ignore', 'pipe', 'pipe'] });
      const ready = Promise.withResolvers<void>();
      const watch = (chunk: Buffer) => {
        if (/ACCEPT|waiting for OCSP client/i.test(chunk.toString())) ready.resolve();
      };
      child.stdout.on('data', watch);
      child.stderr.on('data', watch);
      child.on('exit', () => ready.reject(new Error('the responder ended before it was ready')));
      await ready.promise;
      return {
        stop: async () => {
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        },
      };
    },
    remove: () => folder.remove(),
  };
}
