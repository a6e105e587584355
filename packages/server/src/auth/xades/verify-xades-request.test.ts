import { createHash } from 'node:crypto';
import { sealCertificate } from '@kwit/client/test-certificates';
import { signAuthTokenRequest } from '@kwit/client/xades';
import { expect, test } from 'vitest';
import { certificateInfo, craft, EXCLUSIVE_STEP, request, signingCertificate } from './craft.fixture.ts';
import type { VerifiedSignature, XadesOutcome } from './outcome.ts';
import { CHALLENGE, DSIG, keyOf, NIP, text, verdictOf, verify } from './sample.fixture.ts';

function acceptedOf(outcome: XadesOutcome): VerifiedSignature {
  if ('verdict' in outcome && 'accepted' in outcome.verdict) return outcome.verdict.accepted;
  throw new Error(verdictOf(outcome));
}

test('gives the request, the signer and the hash of what was received', () => {
  const key = sealCertificate({ name: 'A', nip: NIP });
  const issuer = sealCertificate({ name: 'B', nip: NIP });
  const xml = signAuthTokenRequest(
    {
      challenge: CHALLENGE,
      context: { type: 'NipVatUe', value: `${NIP}-ATU12345678` },
      subjectIdentifierType: 'certificateFingerprint',
      version: '2.0',
      name: 'ksef',
      allowedIps: { addresses: ['10.0.0.1'] },
    },
    { ...key, issuers: [issuer.certificate] },
    { signingTime: Date.parse('2026-01-02T03:04:05Z') },
  );
  const outcome = verify(xml);
  expect(outcome).toMatchObject({
    request: {
      version: '2.0',
      challenge: CHALLENGE,
      context: { type: 'NipVatUe', value: `${NIP}-ATU12345678` },
      subjectIdentifierType: 'certificateFingerprint',
      policy: { ip4Addresses: ['10.0.0.1'], ip4Ranges: [], ip4Masks: [] },
    },
    documentSha256: createHash('sha256').update(xml).digest('base64'),
  });
  const signer = acceptedOf(outcome);
  expect(Buffer.from(signer.signingCertificate)).toEqual(key.certificate);
  expect(signer.otherCertificates.map((c) => Buffer.from(c))).toEqual([issuer.certificate]);
  expect(signer).toMatchObject({ signingTime: '2026-01-02T03:04:05Z', trustedProfile: undefined, warnings: [] });
});

test.each<[string, string | Uint8Array, number, RegExp]>([
  ['empty', '', 21001, /empty/],
  ['not UTF-8', Buffer.from('<a>\xb9</a>', 'latin1'), 21217, /line 1, column 4: the bytes are not valid UTF-8/],
  ['another encoding', `<?xml version="1.0" encoding="windows-1250"?>${craft()}`, 21217, /windows-1250/],
  ['not well-formed', '<a>', 21001, /line 1/],
  ['a DOCTYPE', `<!DOCTYPE x>${craft()}`, 21001, /DOCTYPE/],
  ['no signature', '<a/>', 9102, /no element Signature/],
  [
    'another document, signed',
    craft({ request: '<Other><x></x></Other>'.replaceAll('Other', 'AuthTokenRequest') }),
    9101,
    /expected AuthTokenRequest/,
  ],
  ['another namespace', craft({ request: request().replace('token/2.1', 'token/2.2') }), 9101, /token\/2\.2/],
  ['a request against the schema', craft({ request: request('0123456789') }), 21401, /Nip: the value '0123456789'/],
])('refuses %s at once, before a challenge is looked at', (_, xml, code, says) => {
  const outcome = verify(xml);
  if (!('refusal' in outcome)) throw new Error('not refused at once');
  expect(outcome.refusal.code).toBe(code);
  expect(text(outcome.refusal.details)).toMatch(says);
});

test('the schema is checked before the signature, and a broken signature still tells the challenge', () => {
  expect(verdictOf(verify(craft({ request: request('0123456789'), value: () => Buffer.alloc(64) })))).toMatch(
    /^21401 /,
  );
  expect(verify(craft({ value: () => Buffer.alloc(64) }))).toMatchObject({
    request: { challenge: CHALLENGE },
    verdict: { refusal: { code: 9105 } },
  });
});

test('the order of the steps: algorithm, digest, value, profile', () => {
  const all = {
    method: 'urn:none',
    references: () => [{ uri: '', content: 'wrong' }],
    value: () => Buffer.alloc(64),
  };
  const first = (options: Parameters<typeof craft>[0]) => verdictOf(verify(craft(options))).split('\n')[0];
  expect(first(all)).toBe('9105 Podpis złożony z użyciem niewspieranego algorytmu kryptograficznego.');
  const { method: _, ...digest } = all;
  expect(first(digest)).toBe(
    '9105 Nieprawidłowa wartość skrótu dla referencji wskazującej na element AuthTokenRequest.',
  );
  expect(first({ references: ([d]) => [d as never], value: all.value })).toBe('9105 Podpis zweryfikowany negatywnie.');
  expect(first({ references: ([d]) => [d as never] })).toBe(
    '9105 Format podpisu niezgodny z akceptowanymi profilami XAdES.',
  );
});

test('lenient mode accepts a plain signature with a warning, and believes nothing that is not signed', () => {
  const unsigned = craft({
    references: ([d]) => [d as never],
    properties: (p) =>
      p.replace(
        '</xades:SignedSignatureProperties>',
        `${trustedProfile('<PESEL>88102341294</PESEL>')}</xades:SignedSignatureProperties>`,
      ),
  });
  expect(acceptedOf(verify(unsigned, { mode: 'lenient' }))).toMatchObject({
    signingTime: undefined,
    trustedProfile: undefined,
    warnings: [{ code: 'sig-001', message: 'Format podpisu niezgodny z akceptowanymi profilami XAdES' }],
  });
  expect(acceptedOf(verify(craft(), { mode: 'lenient' })).warnings).toEqual([]);
});

const trustedProfile = (person: string) =>
  `<xades:SignerRole><xades:ClaimedRoles><xades:ClaimedRole><ppZP:PodpisZP xmlns:ppZP="http://crd.gov.pl/xml/schematy/ppzp/"><ppZP:DaneZP><ppZP:DaneZPOsobyFizycznej>${person}</ppZP:DaneZPOsobyFizycznej></ppZP:DaneZP></ppZP:PodpisZP></xades:ClaimedRole></xades:ClaimedRoles></xades:SignerRole>`;

test('reads the holder of a trusted profile from the signed properties', () => {
  const withRole = (person: string) =>
    craft({
      properties: (p) =>
        p.replace('</xades:SignedSignatureProperties>', `${trustedProfile(person)}</xades:SignedSignatureProperties>`),
    });
  const os = 'xmlns:os="http://crd.gov.pl/xml/schematy/osoba/2009/03/06/"';
  const person = `<os:Nazwisko ${os}>Żuk</os:Nazwisko><os:Imie ${os}>Anna</os:Imie><os:PESEL ${os}>88102341294</os:PESEL>`;
  expect(acceptedOf(verify(withRole(person))).trustedProfile).toEqual({
    pesel: '88102341294',
    givenName: 'Anna',
    surname: 'Żuk',
  });
  expect(acceptedOf(verify(withRole(`<os:PESEL ${os}>123</os:PESEL>`))).trustedProfile).toEqual({
    pesel: undefined,
    givenName: undefined,
    surname: undefined,
  });
  // Two numbers: nobody is named rather than the first.
  expect(
    acceptedOf(verify(withRole(`<os:PESEL ${os}>88102341294</os:PESEL>`.repeat(2)))).trustedProfile?.pesel,
  ).toBeUndefined();
});

test('counter-signatures and other unsigned properties do not count', () => {
  const counter = `<xades:UnsignedProperties><xades:UnsignedSignatureProperties><xades:CounterSignature><ds:Signature xmlns:ds="${DSIG}"></ds:Signature></xades:CounterSignature></xades:UnsignedSignatureProperties></xades:UnsignedProperties>`;
  const xml = craft({
    qualifying: (q) => q.replace('</xades:QualifyingProperties>', `${counter}</xades:QualifyingProperties>`),
  });
  expect(verdictOf(verify(xml))).toBe('accepted');
});

test('the signer is the certificate that CertDigest names, wherever it stands; a stranger before it changes nothing', () => {
  const key = keyOf('p-256');
  const stranger = sealCertificate({ name: 'Stranger', nip: '1111111111' }).certificate;
  const signer = acceptedOf(verify(craft({ keyInfo: certificateInfo(stranger, key.certificate) })));
  expect(Buffer.from(signer.signingCertificate)).toEqual(key.certificate);
  const list = signingCertificate(stranger).replace(
    '</xades:SigningCertificateV2>',
    signingCertificate(key.certificate).replace(/^<xades:SigningCertificateV2>/, ''),
  );
  const listed = craft({ properties: (p) => p.replace(signingCertificate(key.certificate), list) });
  expect(verdictOf(verify(listed))).toBe('accepted');
});

test('without SigningCertificate a reference over KeyInfo binds the certificate', () => {
  const key = keyOf('p-256');
  const keyInfo = certificateInfo(key.certificate).replace('<ds:KeyInfo>', '<ds:KeyInfo Id="KeyInfo">');
  const content = keyInfo.replace('<ds:KeyInfo', `<ds:KeyInfo xmlns:ds="${DSIG}"`);
  const options = {
    keyInfo,
    properties: (p: string) => p.replace(/<xades:SigningCertificateV2>.*<\/xades:SigningCertificateV2>/, ''),
  };
  expect(
    verdictOf(
      verify(
        craft({
          ...options,
          references: (usual) => [...usual, { uri: '#KeyInfo', transforms: EXCLUSIVE_STEP, content }],
        }),
      ),
    ),
  ).toBe('accepted');
  expect(verdictOf(verify(craft(options)))).toMatch(/no reference covers ds:KeyInfo/);
});

test('the shapes of known clients: an Id on the request, signed directly inside the object', () => {
  const original = request(NIP, ' Id="request-1"');
  const xml = craft({
    form: 'enveloping',
    request: original,
    references: ([, p]) => [{ uri: '#request-1', transforms: EXCLUSIVE_STEP, content: original }, p as never],
  });
  expect(verdictOf(verify(xml))).toBe('accepted');
});
