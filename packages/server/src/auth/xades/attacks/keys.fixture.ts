import { constants, createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { selfSigned } from '@kwit/client/test-certificates';
import type { JudgeKey } from '../../../platform/xml/judges.fixture.ts';
import { type Craft, type CraftedReference, certificateInfo, craft } from '../craft.fixture.ts';
import { DSIG, keyOf, RSA_SHA256 } from '../sample.fixture.ts';
import { type Attack, FORGED, VICTIM } from './attack.fixture.ts';

const hmac = (secret: (key: JudgeKey) => Buffer): Craft => {
  const key = keyOf('rsa-2048');
  return {
    key,
    method: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
    value: (data) => createHmac('sha256', secret(key)).update(data).digest(),
  };
};
const weak = (privateKey: JudgeKey['privateKey']): JudgeKey =>
  selfSigned([['commonName', 'weak']], { key: privateKey });
const rsaValue = (data: Buffer, key: JudgeKey['privateKey']) => sign('sha256', data, key);

export const keys: Attack[] = [
  ...(
    [
      ['DER', (key: JudgeKey) => createPublicKey(key.privateKey).export({ type: 'spki', format: 'der' })],
      ['PEM', (key: JudgeKey) => Buffer.from(createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' }))],
      ['certificate', (key: JudgeKey) => key.certificate],
    ] as const
  ).map(([form, secret]) => ({
    name: `HMAC with the public key (${form}) as secret`,
    build: () => craft(hmac(secret)),
    code: 9105,
    says: /hmac-sha256', which is not supported/,
  })),
  {
    name: 'an RSA certificate under an ECDSA method',
    build: () =>
      craft({ keyInfo: certificateInfo(keyOf('rsa-2048').certificate), certificate: keyOf('rsa-2048').certificate }),
    code: 9105,
    says: /method is ECDSA but the certificate holds a key of type rsa/,
  },
  {
    name: 'an EC certificate under an RSA method',
    build: () => craft({ method: RSA_SHA256 }),
    code: 9105,
    says: /method is RSA PKCS#1 v1.5 but the certificate holds a key of type ec/,
  },
  {
    name: "another's certificate in KeyInfo and in CertDigest",
    build: () => {
      const other = selfSigned([['commonName', 'other']]).certificate;
      return craft({ keyInfo: certificateInfo(other), certificate: other });
    },
    code: 9105,
    says: /zweryfikowany negatywnie/,
  },
  {
    name: "KeyInfo exchanged for another's certificate",
    build: () => craft({ keyInfo: certificateInfo(selfSigned([['commonName', 'other']]).certificate) }),
    code: 9105,
    says: /zweryfikowany negatywnie/,
  },
  {
    name: 'a key value instead of a certificate',
    build: () => {
      const jwk = createPublicKey(keyOf('rsa-2048').privateKey).export({ format: 'jwk' });
      const b64 = (v = '') => Buffer.from(v, 'base64url').toString('base64');
      return craft({
        keyInfo: `<ds:KeyInfo><ds:KeyValue><ds:RSAKeyValue><ds:Modulus>${b64(jwk.n)}</ds:Modulus><ds:Exponent>${b64(jwk.e)}</ds:Exponent></ds:RSAKeyValue></ds:KeyValue></ds:KeyInfo>`,
      });
    },
    code: 9105,
    says: /no X509Certificate/,
  },
  { name: 'no KeyInfo', build: () => craft({ keyInfo: '' }), code: 9105, says: /no X509Certificate/ },
  {
    name: 'RSA of 1024 bits',
    build: () =>
      craft({
        key: weak(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey),
        method: RSA_SHA256,
        value: rsaValue,
      }),
    code: 9105,
    says: /RSA key has 1024 bits, at least 2048/,
  },
  {
    name: 'a curve of 224 bits',
    build: () => craft({ key: weak(generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).privateKey) }),
    code: 9105,
    says: /curve secp224r1 is not supported/,
  },
  {
    name: 'ECDSA in DER encoding',
    build: () => craft({ value: (data, key) => sign('sha256', data, { key, dsaEncoding: 'der' }) }),
    code: 9105,
    says: /looks DER-encoded/,
  },
  ...[0, 20, 'longest'].map((salt) => ({
    name: `RSA-PSS with a salt of another length (${salt})`,
    build: () =>
      craft({
        key: keyOf('rsa-2048'),
        method: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
        value: (data, key) =>
          sign('sha256', data, {
            key,
            padding: constants.RSA_PKCS1_PSS_PADDING,
            saltLength: typeof salt === 'number' ? salt : constants.RSA_PSS_SALTLEN_MAX_SIGN,
          }),
      }),
    code: 9105,
    says: /zweryfikowany negatywnie/,
  })),
  {
    name: 'ECDSA with r and s of zero',
    build: () => craft({ value: () => Buffer.alloc(64) }),
    code: 9105,
    says: /zweryfikowany negatywnie/,
  },
  {
    name: 'one bit of the value changed',
    build: () =>
      craft({
        value: (data, key) => {
          const value = sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' });
          value[40] = (value[40] as number) ^ 1;
          return value;
        },
      }),
    code: 9105,
    says: /zweryfikowany negatywnie/,
  },
  {
    name: 'the NIP changed after signing',
    build: () => craft().replace(VICTIM, FORGED),
    code: 9105,
    says: /skrótu dla referencji wskazującej na element AuthTokenRequest/,
  },
  {
    name: 'the signing time changed after signing',
    build: () => craft().replace('2026-01-02T', '2026-01-03T'),
    code: 9105,
    says: /skrótu dla referencji wskazującej na element SignedProperties/,
  },
  {
    name: 'SHA-1 where it is switched off (signature)',
    build: () =>
      craft({ method: `${DSIG}rsa-sha1`, key: keyOf('rsa-2048'), value: (data, key) => sign('sha1', data, key) }),
    allowSha1: false,
    code: 9105,
    says: /signature method uses SHA-1/,
  },
  {
    name: 'SHA-1 where it is switched off (digest)',
    build: () =>
      craft({
        references: ([d, p]: CraftedReference[]) => [
          { ...(d as CraftedReference), digestMethod: `${DSIG}sha1`, hash: 'sha1' },
          p as CraftedReference,
        ],
      }),
    allowSha1: false,
    code: 9105,
    says: /digest method of reference 1 uses SHA-1/,
  },
  {
    name: 'bytes after the certificate',
    build: () => craft({ keyInfo: certificateInfo(Buffer.concat([keyOf('p-256').certificate, Buffer.from([0])])) }),
    code: 21115,
    says: /bytes follow the certificate|cannot be read/,
  },
  {
    name: 'PEM text inside the Base64 of the certificate',
    build: () =>
      craft({
        keyInfo: certificateInfo(
          Buffer.from(
            `-----BEGIN CERTIFICATE-----\n${keyOf('p-256').certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
          ),
        ),
      }),
    code: 21115,
    says: /not a DER certificate/,
  },
];
