/**
 * Attacks on signed login requests, one row each: what is tried, the document, the code and the words of the refusal.
 * `SECURITY.md` lists the rows by name.
 */
import { constants, createHmac, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { selfSigned } from '@kwit/client/test-certificates';
import type { JudgeKey } from '../../platform/xml/judges.fixture.ts';
import {
  type Craft,
  type CraftedReference,
  certificateInfo,
  craft,
  ENVELOPED_STEP,
  EXCLUSIVE_STEP,
  filterStep,
  request,
  signingCertificate,
  step,
} from './craft.fixture.ts';
import { DSIG, keyOf, NIP, RSA_SHA256, XADES } from './sample.fixture.ts';

export interface Attack {
  name: string;
  build(): string;
  code: number;
  /** Part of the details. */
  says: RegExp;
  allowSha1?: boolean;
}

const VICTIM = NIP;
const FORGED = '1111111111';
const DS = `xmlns:ds="${DSIG}"`;

/** A request that is signed by its identifier, so that its element can be moved about. */
const byIdentifier = () => {
  const original = request(VICTIM, ' Id="original"');
  const signed = craft({
    request: original,
    references: ([, properties]) => [
      { uri: '#original', transforms: ENVELOPED_STEP + EXCLUSIVE_STEP, content: original },
      properties as CraftedReference,
    ],
  });
  const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(signed)?.[0] as string;
  return { original, signed, signature };
};
const forged = (inside = '', attributes = '') =>
  request(FORGED, attributes).replace('</AuthTokenRequest>', `${inside}</AuthTokenRequest>`);
const intoSignature = (signature: string, content: string) =>
  signature.replace('</ds:Signature>', `<ds:Object>${content}</ds:Object></ds:Signature>`);

const wrapping: Attack[] = [
  {
    name: 'XSW1: forged root, the original inside an object of its signature',
    build: () => {
      const { original, signature } = byIdentifier();
      return forged(intoSignature(signature, original));
    },
    code: 9105,
    says: /skrótu dla referencji wskazującej na element AuthTokenRequest/,
  },
  {
    name: 'XSW1 with an enveloping original, whose digest and value stay right',
    build: () => {
      const original = request(VICTIM, ' Id="original"');
      return forged(
        craft({
          form: 'enveloping',
          request: original,
          references: ([, properties]) => [
            { uri: '#original', transforms: EXCLUSIVE_STEP, content: original },
            properties as CraftedReference,
          ],
        }),
      );
    },
    code: 9105,
    says: /no reference covers the whole AuthTokenRequest; the signature covers '#original'/,
  },
  {
    name: 'XSW2: forged root, signature and original side by side in it',
    build: () => {
      const { original, signature } = byIdentifier();
      return forged(signature + original);
    },
    code: 21401,
    says: /AuthTokenRequest\/AuthTokenRequest: is unknown here/,
  },
  {
    name: 'XSW3: forged request before the original under a new root',
    build: () => `<Envelope>${forged()}${byIdentifier().signed}</Envelope>`,
    code: 9101,
    says: /root element is Envelope/,
  },
  {
    name: 'XSW4: the signed original inside the forged root',
    build: () => forged(byIdentifier().signed),
    code: 21401,
    says: /is unknown here/,
  },
  {
    name: 'XSW5: the signed root changed, a copy of the original put after the signature',
    build: () => {
      const { original, signature } = byIdentifier();
      return forged(signature + original, ' Id="changed"');
    },
    code: 21401,
    says: /is unknown here/,
  },
  {
    name: 'XSW6: forged root, the original directly inside the signature',
    build: () => {
      const { original, signature } = byIdentifier();
      return forged(signature.replace('</ds:Signature>', `${original}</ds:Signature>`));
    },
    code: 9105,
    says: /element AuthTokenRequest in ds:Signature .* out of place/,
  },
  {
    name: 'XSW7: the original hidden deeper in the forged request',
    build: () => {
      const { original, signature } = byIdentifier();
      return forged(`<AuthorizationPolicy>${original}</AuthorizationPolicy>${signature}`);
    },
    code: 21401,
    says: /AuthorizationPolicy.*is unknown here/,
  },
  {
    name: 'XSW8: forged root carries the same identifier, the original in an object',
    build: () => {
      const { original, signature } = byIdentifier();
      return forged(intoSignature(signature, original), ' Id="original"');
    },
    code: 9105,
    says: /identifier 'original' stands on .* and again on/,
  },
  {
    name: 'enveloping: a second object with a forged request',
    build: () => craft({ form: 'enveloping', objects: `<ds:Object Id="More">${forged()}</ds:Object>` }),
    code: 9101,
    says: /exactly one ds:Object/,
  },
  {
    name: 'enveloping: forged object, the original moved into unsigned properties',
    build: () => {
      const signed = craft({ form: 'enveloping' });
      const object = /<ds:Object [^>]*Id="Request">.*?<\/ds:Object>/.exec(signed)?.[0] as string;
      return signed
        .replace(object, `<ds:Object Id="Forged">${forged()}</ds:Object>`)
        .replace(
          '</xades:QualifyingProperties>',
          `<xades:UnsignedProperties>${object}</xades:UnsignedProperties></xades:QualifyingProperties>`,
        );
    },
    code: 9105,
    says: /no reference covers the whole AuthTokenRequest/,
  },
  {
    name: 'detached: request and signature side by side',
    build: () => {
      const { original, signature } = byIdentifier();
      return `<Envelope>${original}${signature}</Envelope>`;
    },
    code: 9101,
    says: /root element is Envelope/,
  },
  {
    name: 'a filter leaves the context out of what is signed',
    build: () =>
      craft({
        references: ([, properties]) => [
          {
            uri: '',
            transforms: filterStep(
              ['subtract', '//ds:Signature'],
              ['subtract', "//*[local-name()='ContextIdentifier']"],
            ),
            content: request().replace(/<ContextIdentifier>.*<\/ContextIdentifier>/, ''),
          },
          properties as CraftedReference,
        ],
      }),
    code: 9105,
    says: /no reference covers the whole AuthTokenRequest/,
  },
  {
    name: 'a filter leaves the IP policy out of what is signed',
    build: () => {
      const policy =
        '<AuthorizationPolicy><AllowedIps><Ip4Address>10.0.0.1</Ip4Address></AllowedIps></AuthorizationPolicy>';
      return craft({
        request: request().replace('</AuthTokenRequest>', `${policy}</AuthTokenRequest>`),
        references: ([, properties]) => [
          {
            uri: '',
            transforms: filterStep(['subtract', "//ds:Signature | //*[local-name()='AuthorizationPolicy']"]),
            content: request(),
          },
          properties as CraftedReference,
        ],
      });
    },
    code: 9105,
    says: /no reference covers the whole AuthTokenRequest/,
  },
  {
    name: 'the signature covers a copy of the request instead of the request',
    build: () => {
      const original = request(VICTIM, ' Id="original"');
      const signature = craft({
        form: 'enveloping',
        request: original,
        references: ([, properties]) => [
          { uri: '#original', transforms: EXCLUSIVE_STEP, content: original },
          properties as CraftedReference,
        ],
      });
      return request(VICTIM).replace('</AuthTokenRequest>', `${signature}</AuthTokenRequest>`);
    },
    code: 9105,
    says: /no reference covers the whole AuthTokenRequest; the signature covers '#original'/,
  },
  {
    name: 'only the signed properties are signed',
    build: () => craft({ references: ([, properties]) => [properties as CraftedReference] }),
    code: 9105,
    says: /no reference covers the whole AuthTokenRequest; the signature covers '#SignedProperties'/,
  },
];

const structure: Attack[] = [
  {
    name: 'no signature',
    build: () => request(),
    code: 9102,
    says: /no element Signature/,
  },
  {
    name: 'a signature of another namespace',
    build: () => craft().replaceAll(DSIG, 'urn:other'),
    code: 9102,
    says: /no element Signature/,
  },
  {
    name: 'two signatures',
    build: () => {
      const { signed, signature } = byIdentifier();
      return signed.replace('</AuthTokenRequest>', `${signature}</AuthTokenRequest>`);
    },
    code: 9103,
    says: /2 signatures/,
  },
  {
    name: 'a second signature hidden in the first',
    build: () => craft({ objects: `<ds:Object><ds:Signature ${DS}></ds:Signature></ds:Object>` }),
    code: 9103,
    says: /2 signatures/,
  },
  {
    name: 'two SignedInfo, the forged one first',
    build: () => {
      const other = /<ds:SignedInfo.*<\/ds:SignedInfo>/.exec(craft({ request: forged() }))?.[0] as string;
      return craft().replace('<ds:SignedInfo', `${other}<ds:SignedInfo`);
    },
    code: 9105,
    says: /2 ds:SignedInfo, expected exactly 1/,
  },
  {
    name: 'two SignedInfo, the forged one last',
    build: () => {
      const other = /<ds:SignedInfo.*<\/ds:SignedInfo>/.exec(craft({ request: forged() }))?.[0] as string;
      return craft().replace('</ds:Signature>', `${other}</ds:Signature>`);
    },
    code: 9105,
    says: /2 ds:SignedInfo, expected exactly 1/,
  },
  {
    name: 'duplicate Id: two SignedProperties',
    build: () => craft({ objects: `<ds:Object><other Id="SignedProperties"></other></ds:Object>` }),
    code: 9105,
    says: /identifiers must be unique/,
  },
  {
    name: 'duplicate identifier in another spelling (ID)',
    build: () => craft({ objects: `<ds:Object><other ID="SignedProperties"></other></ds:Object>` }),
    code: 9105,
    says: /identifiers must be unique/,
  },
  {
    name: 'duplicate identifier as xml:id',
    build: () => craft({ objects: `<ds:Object><other xml:id="SignedProperties"></other></ds:Object>` }),
    code: 9105,
    says: /identifiers must be unique/,
  },
  ...['DigestValue', 'SignatureValue'].map((name) => ({
    name: `a comment inside ${name}`,
    build: () => craft().replace(`<ds:${name}>`, `<ds:${name}><!--${randomBytes(32).toString('base64')}-->`),
    code: 9105,
    says: new RegExp(`ds:${name} .* holds a comment`),
  })),
  {
    name: 'a comment inside X509Certificate',
    build: () => craft().replace('<ds:X509Certificate>', '<ds:X509Certificate><!---->'),
    code: 9105,
    says: /X509Certificate .* holds a comment/,
  },
  {
    name: 'an instruction inside DigestValue',
    build: () => craft().replace('<ds:DigestValue>', '<ds:DigestValue><?x?>'),
    code: 9105,
    says: /DigestValue .* holds a comment, an instruction/,
  },
  {
    name: 'a comment inside the NIP',
    build: () => craft().replace(`<Nip>${VICTIM}`, `<Nip>${VICTIM.slice(0, 9)}<!---->${VICTIM.slice(9)}`),
    code: 21401,
    says: /Nip: holds a comment/,
  },
  {
    name: 'a comment inside the challenge',
    build: () => craft().replace('<Challenge>', '<Challenge><!--20250604-CR-->'),
    code: 21401,
    says: /Challenge: holds a comment/,
  },
  {
    name: 'Base64 with characters that lax decoders skip',
    build: () => craft().replace('<ds:DigestValue>', '<ds:DigestValue>*'),
    code: 9105,
    says: /DigestValue .* is not valid Base64/,
  },
  { name: 'no reference at all', build: () => craft({ references: () => [] }), code: 9105, says: /no ds:Reference/ },
  {
    name: 'eleven references',
    build: () => craft({ references: ([data, p]) => [...Array(10).fill(data), p] }),
    code: 9105,
    says: /more than 10 references/,
  },
  {
    name: 'six transforms in a reference',
    build: () =>
      craft({
        references: ([d, p]: CraftedReference[]) => [
          { ...(d as CraftedReference), transforms: ENVELOPED_STEP.repeat(6) },
          p as CraftedReference,
        ],
      }),
    code: 9105,
    says: /6 transforms, at most 5/,
  },
  ...['http://127.0.0.1/x.xml', 'file:///etc/passwd', 'other.xml', ' '].map((uri) => ({
    name: `a reference outside the document (${JSON.stringify(uri)})`,
    build: () => craft({ references: (usual) => [...usual, { uri, content: 'x' }] }),
    code: 9105,
    says: /points outside the document/,
  })),
  ...['#xpointer(/)', "#xpointer(id('SignedProperties'))", '#', '#missing'].map((uri) => ({
    name: `a reference that no identifier fits (${uri})`,
    build: () => craft({ references: (usual) => [...usual, { uri, content: 'x' }] }),
    code: 9105,
    says: /no element has that identifier/,
  })),
  {
    name: 'a reference without URI',
    build: () => craft({ signedInfo: (s) => s.replace(' URI=""', '') }),
    code: 9105,
    says: /no URI attribute/,
  },
];

const entities: Attack[] = [
  ['an internal entity as NIP', `<!DOCTYPE AuthTokenRequest [<!ENTITY n "${VICTIM}">]>`, '&n;'],
  ['an external entity', '<!DOCTYPE AuthTokenRequest [<!ENTITY n SYSTEM "file:///etc/hostname">]>', '&n;'],
  [
    'an external parameter entity',
    '<!DOCTYPE AuthTokenRequest [<!ENTITY % p SYSTEM "http://127.0.0.1/x"> %p;]>',
    VICTIM,
  ],
  ['an empty DOCTYPE', '<!DOCTYPE AuthTokenRequest>', VICTIM],
  [
    'billion laughs',
    `<!DOCTYPE x [<!ENTITY a0 "ha">${Array.from({ length: 30 }, (_, i) => `<!ENTITY a${i + 1} "&a${i};&a${i};&a${i};&a${i};">`).join('')}]>`,
    '&a30;',
  ],
  ['an entity nobody declared', '', '&n;'],
].map(([name, doctype, nip]) => ({
  name: name as string,
  build: () => (doctype as string) + craft().replace(`<Nip>${VICTIM}`, `<Nip>${nip}`),
  code: 21001,
  says: /DOCTYPE|[Ee]ntity|amplification/,
}));

const strange = (transforms: string, content = request()): Craft => ({
  references: ([, p]) => [{ uri: '', transforms, content }, p as CraftedReference],
});
const XSLT =
  '<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0"><xsl:template match="/"></xsl:template></xsl:stylesheet>';
/** With its levels each over all elements: the engine stops at its limit of operations. */
const NESTED_COUNT = `//*[${'count(//*['.repeat(8)}true()${'])>0'.repeat(8)}]`;
const XPATH_URI = 'http://www.w3.org/TR/1999/REC-xpath-19991116';

const algorithms: Attack[] = [
  ['the XSLT transform', strange(step('http://www.w3.org/TR/1999/REC-xslt-19991116', XSLT))],
  ['an unknown transform', strange(step('urn:unknown'))],
  ['an XPath transform with another expression', strange(step(XPATH_URI, '<ds:XPath>true()</ds:XPath>'))],
  [
    'the XPath transform with the prefix bound elsewhere',
    strange(step(XPATH_URI, '<ds:XPath xmlns:q="urn:q">not(ancestor-or-self::q:Signature)</ds:XPath>')),
  ],
  [
    'the XPath transform with a comment in it',
    strange(step(XPATH_URI, '<ds:XPath>not(ancestor-or-self::ds:Signature)<!-- --></ds:XPath>')),
  ],
  ['a filter that gives no nodes but a number', strange(filterStep(['subtract', '1 + 1']))],
  ['a filter that does not compile', strange(filterStep(['subtract', '//*[']))],
  ['a filter with an unknown function', strange(filterStep(['subtract', "document('file:///etc/passwd')"]))],
  ['a filter nested beyond reason', strange(filterStep(['subtract', `${'('.repeat(400)}//*${')'.repeat(400)}`]))],
  ['a filter on namespace nodes', strange(filterStep(['subtract', '//namespace::*']))],
  ['a filter that counts and counts', strange(filterStep(['subtract', NESTED_COUNT]), 'x')],
  ['a filter with an unknown operation', strange(filterStep(['replace', '//*']))],
  ['a node transform after octets', strange(EXCLUSIVE_STEP + ENVELOPED_STEP)],
  ['an unknown canonicalisation', { c14n: 'http://www.w3.org/2010/xml-c14n2' }],
  ['enveloped-signature with parameters', strange(step(`${DSIG}enveloped-signature`, '<ds:XPath>1</ds:XPath>'))],
  [
    'the digest MD5',
    {
      references: ([d, p]: CraftedReference[]) => [
        {
          ...(d as CraftedReference),
          digestMethod: 'http://www.w3.org/2001/04/xmldsig-more#md5',
          hash: 'md5',
        },
        p as CraftedReference,
      ],
    },
  ],
  [
    'rsa-pss with parameters of its own',
    { method: 'http://www.w3.org/2007/05/xmldsig-more#rsa-pss', key: keyOf('rsa-2048') },
  ],
  ['an unknown signature method', { method: 'urn:none' }],
  [
    'parameters in the signature method',
    {
      signedInfo: (s: string) =>
        s.replace('</ds:SignatureMethod>', '<ds:HMACOutputLength>0</ds:HMACOutputLength></ds:SignatureMethod>'),
    },
  ],
].map(([name, options]) => ({
  name: name as string,
  build: () => craft(options as Craft),
  code: 9105,
  says: /niewspieranego algorytmu kryptograficznego/,
}));

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

const keys: Attack[] = [
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

const profile: Attack[] = (
  [
    [
      'SigningCertificate is missing',
      { properties: (p) => p.replace(/<xades:SigningCertificateV2>.*<\/xades:SigningCertificateV2>/, '') },
      /SigningCertificate .* missing/,
    ],
    [
      'SigningCertificate only among the unsigned properties',
      {
        properties: (p) => p.replace(/<xades:SigningCertificateV2>.*<\/xades:SigningCertificateV2>/, ''),
        qualifying: (q) =>
          q.replace(
            '</xades:QualifyingProperties>',
            `<xades:UnsignedProperties><xades:UnsignedSignatureProperties>${signingCertificate(keyOf('p-256').certificate)}</xades:UnsignedSignatureProperties></xades:UnsignedProperties></xades:QualifyingProperties>`,
          ),
      },
      /SigningCertificate .* missing/,
    ],
    [
      "CertDigest of another's certificate",
      { certificate: selfSigned([['commonName', 'other']]).certificate },
      /CertDigest .* does not fit/,
    ],
    ['SignedProperties are not signed', { references: ([d]) => [d as CraftedReference] }, /0 references have the Type/],
    [
      'SignedProperties are signed without the Type',
      {
        references: ([d, p]: CraftedReference[]) => [
          d as CraftedReference,
          { ...(p as CraftedReference), type: undefined as never },
        ],
      },
      /0 references have the Type/,
    ],
    [
      'the Type stands on a reference to something else',
      {
        references: ([d, p]: CraftedReference[]) => [
          { ...(d as CraftedReference), type: 'http://uri.etsi.org/01903#SignedProperties' },
          { ...(p as CraftedReference), type: undefined as never },
        ],
      },
      /does not cover the xades:SignedProperties/,
    ],
    [
      'a filter hides the signing certificate of the signed properties',
      {
        references: ([d, p]: CraftedReference[]) => [
          d as CraftedReference,
          {
            ...(p as CraftedReference),
            transforms: filterStep(['subtract', "//*[local-name()='SigningCertificateV2']"]) + EXCLUSIVE_STEP,
            content: (p as CraftedReference).content.replace(
              /<xades:SigningCertificateV2>.*<\/xades:SigningCertificateV2>/,
              '',
            ),
          },
        ],
      },
      /SigningCertificate .* missing/,
    ],
    [
      'Target names another signature',
      { qualifying: (q) => q.replace('Target="#Signature"', 'Target="#Other"') },
      /@Target is '#Other'/,
    ],
    [
      'a second QualifyingProperties',
      {
        objects: `<ds:Object><xades:QualifyingProperties xmlns:xades="${XADES}" Target="#Signature"></xades:QualifyingProperties></ds:Object>`,
      },
      /2 xades:QualifyingProperties/,
    ],
    [
      'no QualifyingProperties',
      { qualifying: () => '', references: ([d]) => [d as CraftedReference] },
      /0 xades:QualifyingProperties/,
    ],
    [
      'no SigningTime',
      { properties: (p) => p.replace(/<xades:SigningTime>.*<\/xades:SigningTime>/, '') },
      /SigningTime is missing/,
    ],
    [
      'a SigningTime that does not exist',
      { properties: (p) => p.replace('2026-01-02T', '2026-02-30T') },
      /is not an xsd:dateTime/,
    ],
  ] satisfies [string, Craft, RegExp][]
).map(([name, options, says]) => ({
  name,
  build: () => craft(options as Craft),
  code: 9105,
  says: new RegExp(`Format podpisu niezgodny z akceptowanymi profilami XAdES\\.\\n(.*\\n)?.*${says.source}`),
}));

export const ATTACKS: readonly Attack[] = [...wrapping, ...structure, ...entities, ...algorithms, ...keys, ...profile];

/** Few operations by count, each over the whole text of the document: only the deadline of the thread ends it. */
export function endlessFilter(): string {
  return craft({
    ...strange(filterStep(['subtract', "//*[contains(string(/), 'ab')]"])),
    objects: `<ds:Object>${`<e>${'a'.repeat(180)}</e>`.repeat(19_000)}</ds:Object>`,
  });
}
