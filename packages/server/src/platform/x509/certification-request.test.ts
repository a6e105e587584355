import { makeCertificateKey, makeCertificationRequest } from '@kwit/client/certification-request';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { hasOpenssl, opensslFolder } from '../../../test/support/openssl.ts';
import { isSelfSigned, RequestUnreadable, readCertificationRequest } from './certification-request.ts';

const folder = opensslFolder();
afterAll(() => folder.remove());

const SUBJECT = {
  commonName: 'Zażółć',
  countryName: 'PL',
  organizationName: 'Gęślą',
  organizationIdentifier: 'VATPL-1',
};
const ours = () => makeCertificationRequest(SUBJECT, makeCertificateKey());

describe.runIf(hasOpenssl)('openssl (skipped when it is not installed)', () => {
  const subject = '/C=PL/organizationIdentifier=VATPL-1/O=Gęślą/CN=Zażółć+serialNumber=7';
  const made = new Set<string>();
  it.each([
    ['P-256', ['ec', 'prime256v1'], [], 'ecdsa sha256'],
    ['P-256 with SHA-512', ['ec', 'prime256v1'], ['-sha512'], 'ecdsa sha512'],
    ['RSA', ['rsa', '2048'], ['-sha256'], 'rsa sha256'],
    ['RSA with SHA-1', ['rsa', '2048'], ['-sha1'], 'rsa sha1'],
    [
      'PSS',
      ['rsa', '2048'],
      ['-sha256', '-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32'],
      'rsa-pss sha256',
    ],
    [
      'PSS with defaults',
      ['rsa', '2048'],
      ['-sha1', '-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:20'],
      'rsa-pss sha1',
    ],
  ])('a request of its own, %s, is read and its possession proven', (_, [kind, size], options, algorithm) => {
    const file = `${kind}.pem`;
    if (!made.has(file)) {
      if (kind === 'ec') folder.run('ecparam', '-name', size as string, '-genkey', '-noout', '-out', file);
      else folder.run('genrsa', '-out', file, size as string);
      made.add(file);
    }
    // biome-ignore format: one option and its value per pair
    folder.run('req', '-new', '-utf8', '-key', file, '-subj', subject, ...options,
      '-addext', 'subjectAltName=DNS:example.org', '-outform', 'DER', '-out', 'r.der');
    const request = readCertificationRequest(folder.read('r.der'));
    expect(request.subject.map(({ value }) => value).sort()).toEqual(['7', 'Gęślą', 'PL', 'VATPL-1', 'Zażółć']);
    expect(`${request.signatureAlgorithm?.kind} ${request.signatureAlgorithm?.hash}`).toBe(algorithm);
    expect(isSelfSigned(request)).toBe(true);
  });

  it.each([
    ['ed25519', ['genpkey', '-algorithm', 'ed25519']],
    ['an unnamed curve', ['ecparam', '-name', 'prime256v1', '-param_enc', 'explicit', '-genkey', '-noout']],
  ])('reads a request with %s as far as it can', (_, command) => {
    folder.run(...command, '-out', 'k.pem');
    folder.run('req', '-new', '-key', 'k.pem', '-subj', '/CN=x', '-outform', 'DER', '-out', 'r.der');
    const { key } = readCertificationRequest(folder.read('r.der'));
    expect(key?.kind.type).toBe(command.includes('ed25519') ? 'ed25519' : undefined);
  });

  it.each(['ec', 'rsa'] as const)('verifies requests that the client makes with %s', (kind) => {
    const key = makeCertificateKey(kind);
    for (const padding of ['pkcs1', 'pss'] as const) {
      folder.write('ours.der', makeCertificationRequest({ ...SUBJECT, givenName: ['A', 'B'] }, key, { padding }));
      const { ok, said } = folder.judge(
        'req',
        '-inform',
        'DER',
        '-in',
        'ours.der',
        '-verify',
        '-noout',
        '-subject',
        '-nameopt',
        'utf8,sep_comma_plus,sname',
      );
      expect(ok).toBe(true);
      expect(said).toContain('C=PL,organizationIdentifier=VATPL-1,O=Gęślą,GN=A,GN=B,CN=Zażółć');
    }
  });
});

describe('a damaged request', () => {
  const unreadable = (der: Buffer) => () => readCertificationRequest(der);

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('hello')],
    ['a byte after it', Buffer.concat([ours(), Buffer.from([0])])],
    ['a byte less', ours().subarray(0, -1)],
    ['too much', Buffer.alloc(20_000, 0x30)],
    ['letters of eight bits in a string of seven', latin1()],
    ['a zero in a name', makeCertificationRequest({ ...SUBJECT, commonName: 'Firma\u0000.pl' }, makeCertificateKey())],
  ])('is told: %s', (_, der) => {
    expect(unreadable(der)).toThrow(RequestUnreadable);
  });

  function latin1(): Buffer {
    const der = Buffer.from(makeCertificationRequest({ ...SUBJECT, countryName: 'PL' }, makeCertificateKey()));
    const at = der.indexOf(Buffer.from([0x13, 2, 0x50, 0x4c]));
    der[at + 3] = 0xb3;
    return der;
  }

  it('in any byte is unreadable, or not its own any more', () => {
    const der = ours();
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(der);
        damaged[at] = (damaged[at] as number) ^ change;
        try {
          expect(isSelfSigned(readCertificationRequest(damaged))).toBe(false);
        } catch (error) {
          if (!(error instanceof RequestUnreadable)) throw error;
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
