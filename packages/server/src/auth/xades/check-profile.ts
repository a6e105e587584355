import { DIGESTS } from '../../platform/xml/algorithms.ts';
import type { XmlElement } from '../../platform/xml/engine.ts';
import { withDocument, type XmlLimits, XmlUnreadable } from '../../platform/xml/parse.ts';
import type { Covered } from '../../platform/xml/signature.ts';
import type { SignatureModel } from '../../platform/xml/signature-model.ts';
import { attribute, childrenNamed, isNamed } from '../../platform/xml/walk.ts';
import {
  isDateTime,
  readSignedProperties,
  SIGNED_PROPERTIES_TYPE,
  type SignedProperties,
  XADES,
} from './signed-properties.ts';
import { matches } from './signing-certificate.ts';

export interface Profile {
  /** What breaks the profile, in order; empty when the signature keeps it. */
  problems: string[];
  /** Read from the octets that the signature covers; undefined when nothing covers them. */
  properties: SignedProperties | undefined;
}

/** The XAdES rules of the strict profile over a signature that has been verified. */
export function checkProfile(
  model: SignatureModel,
  covered: readonly Covered[],
  certificate: Buffer,
  options: { allowSha1: boolean; limits: XmlLimits },
): Profile {
  const problems: string[] = [];
  const element = signedPropertiesOf(model, problems);
  const properties = element && coveredProperties(element, covered, options.limits, problems);
  if (properties === undefined) return { problems, properties };
  const { signingTime, certDigests } = properties;
  if (signingTime === undefined) problems.push('xades:SigningTime is missing');
  else if (!isDateTime(signingTime))
    problems.push(`xades:SigningTime '${signingTime.slice(0, 50)}' is not an xsd:dateTime`);
  if (certDigests === undefined) {
    if (!coversKeyInfo(model, covered)) {
      problems.push(
        'xades:SigningCertificate (or SigningCertificateV2) is missing or unreadable, and no reference covers ds:KeyInfo',
      );
    }
    return { problems, properties };
  }
  for (const { method } of certDigests) {
    const digest = DIGESTS.get(method);
    if (digest === undefined)
      problems.push(`the digest method '${method.slice(0, 200)}' of CertDigest is not supported`);
    else if (digest.hash === 'sha1' && !options.allowSha1)
      problems.push('CertDigest uses SHA-1, which is switched off');
  }
  if (!certDigests.some((digest) => matches(digest, certificate))) {
    problems.push('CertDigest of xades:SigningCertificate does not fit the signing certificate in ds:KeyInfo');
  }
  return { problems, properties };
}

function signedPropertiesOf(model: SignatureModel, problems: string[]): XmlElement | undefined {
  const qualifying = model.objects.flatMap((object) => childrenNamed(object, XADES, 'QualifyingProperties'));
  const [only] = qualifying;
  if (only === undefined || qualifying.length > 1) {
    problems.push(`the signature has ${qualifying.length} xades:QualifyingProperties, expected exactly 1`);
    return undefined;
  }
  const target = attribute(only, 'Target');
  if (model.id === undefined || target !== `#${model.id}`) {
    problems.push(
      `QualifyingProperties/@Target is '${(target ?? '').slice(0, 100)}', expected '#' and the Id of ds:Signature ('${(model.id ?? '').slice(0, 100)}')`,
    );
  }
  const signed = childrenNamed(only, XADES, 'SignedProperties');
  if (signed.length !== 1) {
    problems.push(`QualifyingProperties has ${signed.length} xades:SignedProperties, expected exactly 1`);
    return undefined;
  }
  return signed[0];
}

/** The reference that says it is for the signed properties must point to them; they are read from what it covers. */
function coveredProperties(
  element: XmlElement,
  covered: readonly Covered[],
  limits: XmlLimits,
  problems: string[],
): SignedProperties | undefined {
  const typed = covered.filter((c) => c.reference.type === SIGNED_PROPERTIES_TYPE);
  const [only] = typed;
  if (only === undefined || typed.length > 1) {
    problems.push(`${typed.length} references have the Type '${SIGNED_PROPERTIES_TYPE}', expected exactly 1`);
    return undefined;
  }
  const read = only.element.isSameNode(element) ? readOctets(only.octets, limits) : undefined;
  if (read === undefined)
    problems.push('the reference of that Type does not cover the xades:SignedProperties of this signature');
  return read;
}

function readOctets(octets: Buffer, limits: XmlLimits): SignedProperties | undefined {
  try {
    return withDocument(octets, limits, ({ root }) =>
      isNamed(root, XADES, 'SignedProperties') ? readSignedProperties(root) : undefined,
    );
  } catch (error) {
    if (error instanceof XmlUnreadable) return undefined;
    throw error;
  }
}

function coversKeyInfo(model: SignatureModel, covered: readonly Covered[]): boolean {
  const { keyInfo } = model;
  return keyInfo !== undefined && covered.some((c) => c.whole && c.element.isSameNode(keyInfo));
}
