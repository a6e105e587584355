import { randomBytes } from 'node:crypto';
import { type CraftedReference, craft, ENVELOPED_STEP, request } from '../craft.fixture.ts';
import { DSIG } from '../sample.fixture.ts';
import { type Attack, byIdentifier, forged, VICTIM } from './attack.fixture.ts';

const DS = `xmlns:ds="${DSIG}"`;

export const structure: Attack[] = [
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
