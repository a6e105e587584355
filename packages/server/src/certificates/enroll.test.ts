import {
  type CertificateSubject,
  makeCertificateKey,
  makeCertificationRequest,
} from '@kwit/client/certification-request';
import { personCertificate, sealCertificate, selfSigned } from '@kwit/client/test-certificates';
import { refreshAccessToken } from '@kwit/contract/auth-endpoints';
import { parseReferenceNumber } from '@kwit/contract/reference-number';
import { afterAll, describe, expect, it } from 'vitest';
import { type Actor, logIn } from '../../test/support/actors.ts';
import { certificatesOf, refused } from '../../test/support/certificates-over-http.ts';
import { hasOpenssl, opensslFolder } from '../../test/support/openssl.ts';
import { startTestService } from '../../test/support/service.ts';
import { oid, printable, sequence, setOf, unsigned, utf8, value, wholeBits } from '../platform/x509/der-write.ts';
import { spkiOf } from '../platform/x509/make-certificate.ts';
import { ATTRIBUTE } from '../platform/x509/oids.ts';
import { signerFor } from '../platform/x509/signature-algorithm.ts';

const service = await startTestService();
const folder = opensslFolder();
afterAll(() => folder.remove());

const NIP = '1111111111';
const validFrom = service.clock.now() - 3_600_000;
const alfa = await logIn(service, NIP, { certificate: sealCertificate({ name: 'Alfa', nip: NIP }, { validFrom }) });
const anna = await logIn(service, NIP, {
  certificate: personCertificate({ givenName: 'Anna', surname: 'Żak', serialNumber: `NIP-${NIP}` }, { validFrom }),
});

const request = (actor: Actor, csr: Buffer | string, change: object = {}) =>
  certificatesOf(actor).enroll({
    certificateName: 'Mój certyfikat',
    certificateType: 'Authentication',
    csr: typeof csr === 'string' ? csr : csr.toString('base64'),
    ...change,
  });
const alfaData = await certificatesOf(alfa).data();
const good = (change: Partial<CertificateSubject> = {}) =>
  makeCertificationRequest({ ...alfaData, ...change }, makeCertificateKey());

describe('enrollment data', () => {
  it('of a seal', () => {
    expect(alfaData).toEqual({
      commonName: 'Alfa',
      countryName: 'PL',
      organizationName: 'Alfa',
      organizationIdentifier: `VATPL-${NIP}`,
    });
  });

  it('of a person, with the identifier in its normal form and no organization', async () => {
    expect(await certificatesOf(anna).data()).toEqual({
      commonName: 'Anna Żak',
      countryName: 'PL',
      givenName: ['Anna'],
      surname: 'Żak',
      serialNumber: `TINPL-${NIP}`,
    });
  });

  it('shows given names as a list on the wire, and as one text under the other name', async () => {
    const certificate = selfSigned(
      [
        ['givenName', 'Anna'],
        ['givenName', 'Maria'],
        ['surname', 'Żak'],
        ['serialNumber', `TINPL-${NIP}`],
        ['commonName', 'Anna Maria Żak'],
        ['countryName', 'PL'],
      ],
      { validFrom },
    );
    const wire = async (s: typeof service, actor: Actor) =>
      (
        await s.request('GET', '/certificates/enrollments/data', {
          headers: { authorization: `Bearer ${actor.token}` },
        })
      ).json;
    const here = await logIn(service, NIP, { certificate });
    expect(await wire(service, here)).toMatchObject({ givenName: ['Anna', 'Maria'] });
    const other = await startTestService({ config: { name: 'ksef' } });
    const there = await logIn(other, NIP, { certificate });
    expect(await wire(other, there)).toMatchObject({ givenName: 'Anna Maria' });
    // A client that reads one text can only repeat one text.
    const csr = makeCertificationRequest(await certificatesOf(there).data(), makeCertificateKey());
    expect((await request(there, csr)).referenceNumber).toHaveLength(36);
    await other.stop();
  });

  it('does not change when the access token is refreshed', async () => {
    const { accessToken } = await alfa.transport.call(refreshAccessToken, { token: alfa.refreshToken });
    expect(await certificatesOf({ ...alfa, token: accessToken.token }).data()).toEqual(alfaData);
  });
});

describe('a request', () => {
  it('is answered with its number and time, and its status follows', async () => {
    const answer = await request(alfa, good());
    expect(answer.referenceNumber).toMatch(/^\d{8}-EH-[0-9A-F]{10}-[0-9A-F]{10}-[0-9A-F]{2}$/);
    expect(parseReferenceNumber(answer.referenceNumber)?.checksumValid).toBe(true);
    await service.drain();
    const status = await certificatesOf(alfa).enrollment(answer.referenceNumber);
    expect(status).toEqual({
      requestDate: answer.timestamp,
      status: { code: 200, description: 'Wniosek obsłużony (certyfikat wygenerowany)' },
      certificateSerialNumber: expect.stringMatching(/^(0[1-9A-F]|[1-7][0-9A-F])[0-9A-F]{14}$/),
    });
    expect(await refused(certificatesOf(anna).enrollment('short'))).toMatch(/^21405/);
    expect(await refused(certificatesOf(alfa).enrollment('20260101-EH-0000000000-0000000000-00'))).toMatch(/^25005/);
  });

  it('may have line breaks and spaces in its Base64, names in Polish and types in any case', async () => {
    const broken = good()
      .toString('base64')
      .replace(/(.{64})/g, '$1\r\n ');
    await request(alfa, broken, { certificateName: 'ąć Cert_1-A', certificateType: 'authentication' });
  });

  it.each([
    ['four letters', { certificateName: 'abcd' }, "'certificateName' must be between 5 and 100 characters"],
    ['too many letters', { certificateName: 'a'.repeat(101) }, 'You entered 101 characters'],
    ['a foreign sign', { certificateName: 'Certy!' }, "'certificateName' is not in the correct format."],
    ['an unknown type', { certificateType: 'Foo' }, 'must be one of: Authentication, Offline. You entered Foo.'],
    ['no request', { csr: null }, "'csr' must not be empty."],
    ['no Base64', { csr: '!!!' }, "'csr' is not in the correct format."],
    ['wrong padding', { csr: 'abcde' }, "'csr' is not in the correct format."],
    ['PEM', { csr: '-----BEGIN CERTIFICATE REQUEST-----' }, "'csr' is not in the correct format."],
    ['no date', { validFrom: 'tomorrow' }, "'validFrom' is not in the correct format."],
    [
      'a date too far ahead',
      { validFrom: '2028-01-01T00:00:00Z' },
      "'validFrom' must be between 2024-11-16T11:00:00.000+00:00",
    ],
    ['a date that leaves nothing', { validFrom: '2024-11-16T11:00:00Z' }, 'You entered 2024-11-16T11:00:00Z.'],
    ['text in Base64', { csr: Buffer.from('hello').toString('base64') }, '25004'],
    [
      '20 kB',
      { csr: 'A'.repeat(20_004) },
      "'csr' must be between 1 and 20000 characters. You entered 20004 characters.",
    ],
  ])('with %s is refused', async (_, change, words) => {
    const answer = await refused(request(alfa, good(), change));
    expect(answer).toContain(words);
    expect(answer).toMatch(words === '25004' ? /^25004/ : /^21405/);
  });

  it('is accepted with its attributes in reversed order and one type of string', async () => {
    const key = makeCertificateKey();
    const signer = signerFor(key);
    const write = async (pairs: (readonly [keyof typeof ATTRIBUTE, string])[], write = utf8) => {
      const name = sequence(...pairs.map(([type, text]) => setOf(sequence(oid(ATTRIBUTE[type]), write(text)))));
      const info = sequence(unsigned(0), name, spkiOf(key), value(0xa0));
      return sequence(info, signer.identifier, wholeBits(await signer.sign(info)));
    };
    const data = Object.entries(alfaData) as [keyof typeof ATTRIBUTE, string][];
    await request(alfa, await write(data.toReversed()));
    await request(alfa, await write(data, printable));
  });

  it.each([
    ['other case', { commonName: 'ALFA' }, 'commonName (2.5.4.3): w CSR jest "ALFA", oczekiwano "Alfa"'],
    ['a surname', { surname: 'Żak' }, 'surname (2.5.4.4): CSR zawiera "Żak"'],
    ['another company', { organizationIdentifier: 'VATPL-2222222222' }, 'oczekiwano "VATPL-1111111111"'],
    ['another country', { countryName: 'DE' }, 'countryName (2.5.4.6)'],
  ])('with %s in its subject is refused by name', async (_, change, words) => {
    const answer = await refused(request(alfa, good(change)));
    expect(answer).toMatch(/^25003: Dane w CSR nie zgadzają się z danymi w użytym wektorze uwierzytelniającym\. - /);
    expect(answer).toContain(words);
  });

  it('of a person must have the identifier in its normal form', async () => {
    const data = await certificatesOf(anna).data();
    const { serialNumber: _, ...without } = data;
    for (const subject of [without, { ...data, serialNumber: `NIP-${NIP}` }])
      expect(await refused(request(anna, makeCertificationRequest(subject, makeCertificateKey())))).toMatch(/^25003/);
    await request(anna, makeCertificationRequest(data, makeCertificateKey()));
  });
});

describe.runIf(hasOpenssl)('requests of openssl (skipped when it is not installed)', () => {
  const SUBJECT = `/C=PL/organizationIdentifier=VATPL-${NIP}/O=Alfa/CN=Alfa`;
  const EC = ['ecparam', '-name', 'prime256v1', '-genkey', '-noout'];
  const RSA = ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'];
  const PSS = ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:32'];

  /** One of a kind: making RSA keys takes most of the time. */
  const files = new Map<string, string>();
  function keyFile(command: string[]): string {
    const kind = command.join(' ');
    const known = files.get(kind);
    if (known !== undefined) return known;
    const file = `key${files.size}.pem`;
    folder.run(...command, '-out', file);
    files.set(kind, file);
    return file;
  }

  function csr(key: string[], options: string[], subject = SUBJECT): Buffer {
    // biome-ignore format: one line
    folder.run('req', '-new', '-utf8', '-key', keyFile(key), '-subj', subject, ...options, '-outform', 'DER', '-out', 'csr.der');
    return folder.read('csr.der');
  }

  it.each([
    ['EC P-256', EC, ['-sha256']],
    ['EC P-256, SHA-1', EC, ['-sha1']],
    ['RSA 2048, SHA-1', RSA, ['-sha1']],
    ['RSA 2048, SHA-256', RSA, ['-sha256']],
    ['RSA 2048, SHA-384', RSA, ['-sha384']],
    ['RSA 2048, SHA-512', RSA, ['-sha512']],
    ['RSA 2048, PSS', RSA, ['-sha256', ...PSS]],
    ['with extensions asked for', EC, ['-addext', 'basicConstraints=critical,CA:TRUE']],
  ])('%s is accepted', async (_, key, options) => {
    expect((await request(alfa, csr(key, options))).referenceNumber).toHaveLength(36);
  });

  it.each([
    ['P-384', ['ecparam', '-name', 'secp384r1', '-genkey', '-noout'], [], /^25010: .* - Klucz w CSR: EC secp384r1\. /],
    ['secp256k1', ['ecparam', '-name', 'secp256k1', '-genkey', '-noout'], [], /^25010: .*secp256k1/],
    ['an unnamed curve', [...EC, '-param_enc', 'explicit'], [], /^25010: .*krzywa bez nazwy/],
    ['RSA 3072', ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:3072'], [], /^25010: .*RSA 3072/],
    ['RSA 1024', ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'], [], /^25010: .*RSA 1024/],
    [
      'a key for PSS only',
      ['genpkey', '-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048'],
      [],
      /^25010: .*RSA-PSS/,
    ],
    ['Ed25519', ['genpkey', '-algorithm', 'ed25519'], [], /^25010: .*ED25519/],
    ['MD5', RSA, ['-md5'], /^25011: Nieprawidłowy algorytm podpisu CSR\. - Dozwolone: /],
    ['SHA-224', RSA, ['-sha224'], /^25011/],
    ['ECDSA with SHA-224', EC, ['-sha224'], /^25011/],
  ])('%s is refused', async (_, key, options, answer) => {
    expect(await refused(request(alfa, csr(key, options)))).toMatch(answer);
  });

  it('with a damaged signature or anything after it is refused', async () => {
    const whole = csr(EC, []);
    const flipped = Buffer.from(whole);
    flipped[flipped.length - 5] = (flipped[flipped.length - 5] as number) ^ 1;
    expect(await refused(request(alfa, flipped))).toMatch(/^25004: .*Podpis CSR/);
    expect(await refused(request(alfa, Buffer.concat([whole, Buffer.from([0])])))).toMatch(
      /^25004: .*bytes after the end/,
    );
  });

  it('with an e-mail address or another name is refused', async () => {
    expect(await refused(request(alfa, csr(EC, [], `${SUBJECT}/emailAddress=a@example.org`)))).toMatch(
      /^25003: .*1\.2\.840\.113549\.1\.9\.1: CSR zawiera "a@example\.org"/,
    );
    expect(await refused(request(alfa, csr(EC, [], SUBJECT.replace('CN=Alfa', 'CN=Beta'))))).toMatch(/^25003/);
  });
});
