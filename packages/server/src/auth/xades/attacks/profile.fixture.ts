import { selfSigned } from '@kwit/client/test-certificates';
import {
  type Craft,
  type CraftedReference,
  craft,
  EXCLUSIVE_STEP,
  filterStep,
  signingCertificate,
} from '../craft.fixture.ts';
import { keyOf, XADES } from '../sample.fixture.ts';
import type { Attack } from './attack.fixture.ts';

export const profile: Attack[] = (
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

/** Two sets of signed properties, the signed one out of its place. */
profile.push({
  name: 'the signed SignedProperties stand elsewhere, others in their place',
  build: () => {
    const signed = craft();
    const properties = /<xades:SignedProperties .*<\/xades:SignedProperties>/.exec(signed)?.[0] as string;
    return signed
      .replace(
        properties,
        properties.replace('Id="SignedProperties"', 'Id="Other"').replace('2026-01-02T', '2020-01-02T'),
      )
      .replace('</ds:Signature>', `<ds:Object>${properties}</ds:Object></ds:Signature>`);
  },
  code: 9105,
  says: /Format podpisu niezgodny z akceptowanymi profilami XAdES\.\n.*does not cover the xades:SignedProperties/,
});
