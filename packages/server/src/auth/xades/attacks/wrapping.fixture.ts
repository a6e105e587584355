import { type CraftedReference, craft, EXCLUSIVE_STEP, filterStep, request } from '../craft.fixture.ts';
import { type Attack, byIdentifier, forged, intoSignature, VICTIM } from './attack.fixture.ts';

export const wrapping: Attack[] = [
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
