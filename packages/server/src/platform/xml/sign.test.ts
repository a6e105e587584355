import { createPublicKey } from 'node:crypto';
import { personCertificate, selfSigned, type TestKey } from '@kwit/client/test-certificates';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasJdk, hasXmlsec, type Jdk, startJdk, xmlsecVerify } from './judges.fixture.ts';
import { withDocument } from './parse.ts';
import { signEnveloped } from './sign.ts';
import { type Covered, findSignatures, verifySignature } from './signature.ts';
import { readSignature } from './signature-model.ts';

const LIMITS = { bytes: 1_000_000, depth: 100, elements: 10_000, attributes: 10_000 };
const TIME = Date.parse('2026-03-04T05:06:07.890Z');

/** Not canonical on purpose: an unused prefix, a comment, attributes out of order, an empty tag. */
const DOCUMENT =
  '<?xml version="1.0" encoding="UTF-8"?>\n<Potwierdzenie xmlns="urn:r" xmlns:unused="urn:u" b=\'1\' a="2">\n  <!-- c --><Pusty/><Tekst>Zażółć &amp; &#13;</Tekst>\n</Potwierdzenie>\n';
const CANONICAL = '<Potwierdzenie xmlns="urn:r" a="2"><Pusty></Pusty><Tekst>Zażółć &amp; &#xD;</Tekst></Potwierdzenie>';

const signers = (['p-256', 'rsa-2048'] as TestKey[]).map((kind) => {
  const key = selfSigned(
    [
      ['organizationName', 'Urząd "A", B+C <d>'],
      ['commonName', 'Pieczęć'],
    ],
    { key: kind },
  );
  const issuer = personCertificate({ givenName: 'X', surname: 'Y', nip: '5265877635' });
  return { kind, key, signer: { privateKey: key.privateKey, chain: [key.certificate, issuer.certificate] } };
});

const made = signers.flatMap(({ kind, key, signer }) =>
  (['v1', 'v2'] as const).flatMap((certificateReference) => [
    {
      name: `${kind} ${certificateReference} parsed`,
      key,
      xml: signEnveloped(DOCUMENT, signer, { signingTime: TIME, certificateReference }),
    },
    {
      name: `${kind} ${certificateReference} canonical`,
      key,
      xml: signEnveloped(`<?xml version="1.0" encoding="UTF-8"?>\n${CANONICAL}`, signer, {
        signingTime: TIME,
        certificateReference,
        canonical: true,
      }),
    },
  ]),
);

function coveredBy(xml: Buffer, key: { privateKey: import('node:crypto').KeyObject }): string[] {
  return withDocument(xml, LIMITS, (document) => {
    const [signature] = findSignatures(document);
    const options = { key: createPublicKey(key.privateKey), allowSha1: false, limits: LIMITS };
    const covered: Covered[] = verifySignature(document, readSignature(signature as never), options);
    return covered.map((c) => c.octets.toString());
  });
}

test('signs what our verifier accepts, with the time of the clock', () => {
  for (const { name, key, xml } of made) {
    const [document, properties] = coveredBy(xml, key);
    expect([name, document]).toEqual([
      name,
      name.endsWith('canonical')
        ? CANONICAL
        : '<Potwierdzenie xmlns="urn:r" a="2" b="1">\n  <Pusty></Pusty><Tekst>Zażółć &amp; &#xD;</Tekst>\n</Potwierdzenie>',
    ]);
    expect(properties).toContain('<xades:SigningTime>2026-03-04T05:06:07Z</xades:SigningTime>');
  }
});

test('keeps the document as it was written around the signature', () => {
  const { xml } = made[0] as { xml: Buffer };
  expect(xml.toString().replace(/<ds:Signature .*<\/ds:Signature>/s, '')).toBe(DOCUMENT);
});

test('refuses to sign what it could not put a signature into', () => {
  const signer = signers[0]?.signer as never;
  for (const xml of ['<a/>', '<a></a><!-- </b> -->', 'text']) {
    expect(() => signEnveloped(xml, signer, { signingTime: TIME })).toThrow(/end tag of its root/);
  }
  expect(() => signEnveloped('<a><b></a>', signer, { signingTime: TIME })).toThrow();
});

test.skipIf(!hasXmlsec)('xmlsec1 accepts it (skipped when xmlsec1 is missing)', () => {
  for (const { name, key, xml } of made) expect([name, xmlsecVerify(xml, key)]).toEqual([name, '']);
});

describe.skipIf(!hasJdk)('the JDK (skipped when java or javac is missing)', () => {
  let jdk: Jdk;
  beforeAll(() => {
    jdk = startJdk();
  });
  afterAll(() => jdk?.remove());

  test('accepts it', () => {
    expect(jdk.verify(made)).toEqual(made.map(() => ''));
  });
});
