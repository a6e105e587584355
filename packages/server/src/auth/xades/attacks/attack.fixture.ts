import { type Craft, type CraftedReference, craft, ENVELOPED_STEP, EXCLUSIVE_STEP, request } from '../craft.fixture.ts';
import { NIP } from '../sample.fixture.ts';

/** One row of the corpus: what is tried, the document, the code and the words of the refusal. */
export interface Attack {
  name: string;
  build(): string;
  code: number;
  /** Part of the details. */
  says: RegExp;
  allowSha1?: boolean;
}

export const VICTIM = NIP;
export const FORGED = '1111111111';

/** A request that is signed by its identifier, so that its element can be moved about. */
export const byIdentifier = () => {
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
export const forged = (inside = '', attributes = '') =>
  request(FORGED, attributes).replace('</AuthTokenRequest>', `${inside}</AuthTokenRequest>`);
export const intoSignature = (signature: string, content: string) =>
  signature.replace('</ds:Signature>', `<ds:Object>${content}</ds:Object></ds:Signature>`);

/** The document reference with other transforms. */
export const strange = (transforms: string, content = request()): Craft => ({
  references: ([, p]) => [{ uri: '', transforms, content }, p as CraftedReference],
});
