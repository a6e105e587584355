import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { type Detail, detail } from '@kwit/contract/refusal';
import { type HandBack, handBack } from '../../platform/workers/hand-back.ts';
import type { XmlDocument, XmlElement } from '../../platform/xml/engine.ts';
import { withDocument, type XmlLimits, type XmlProblem, XmlUnreadable } from '../../platform/xml/parse.ts';
import { type Covered, findSignatures, verifySignature } from '../../platform/xml/signature.ts';
import { SignatureFailure } from '../../platform/xml/signature-failure.ts';
import { DSIG, readSignature } from '../../platform/xml/signature-model.ts';
import { isNamed } from '../../platform/xml/walk.ts';
import { checkProfile } from './check-profile.ts';
import { type FoundRequest, findRequest } from './find-request.ts';
import type { AuthTokenRequest, VerifiedSignature, XadesInput, XadesOutcome, XadesRefusal } from './outcome.ts';
import { XADES } from './signed-properties.ts';
import { signingCertificate, UnreadableCertificate } from './signing-certificate.ts';

/** A login document is small; revocation lists of the long-term profiles make it larger. */
export const XADES_LIMITS: XmlLimits = { bytes: 4 * 1024 * 1024, depth: 100, elements: 20_000, attributes: 40_000 };

/** A document of this size leaves the engine's memory grown for good: the thread is then replaced. */
const OUTSIZED_BYTES = 1024 * 1024;

/** Runs in a thread: all steps but the challenge, which needs the database. Never throws for what a document holds. */
export function verifyXadesRequest(input: XadesInput): XadesOutcome | HandBack<XadesOutcome> {
  try {
    const outcome = verify(input);
    return input.bytes.byteLength > OUTSIZED_BYTES ? handBack(outcome, { recycle: true }) : outcome;
  } catch (error) {
    // The engine gave up (its stack or memory is at an end): the document is to blame, and the engine is not to be used again.
    if (!(error instanceof Error && (error.constructor.name === 'RuntimeError' || error instanceof RangeError)))
      throw error;
    const why = `the document asks for more than the verifier has: ${error.message}`;
    return handBack(refusal(9105, detail(DETAIL_TEXTS.signatureAlgorithm), why), { recycle: true });
  }
}

function verify(input: XadesInput): XadesOutcome {
  try {
    return withDocument(input.bytes, XADES_LIMITS, (document) => verifyDocument(document, input));
  } catch (error) {
    if (!(error instanceof XmlUnreadable)) throw error;
    return refusal(error.kind === 'encoding' ? 21217 : 21001, ...error.problems.map(place));
  }
}

function verifyDocument(document: XmlDocument, input: XadesInput): XadesOutcome {
  const [signature, ...more] = findSignatures(document, UNSIGNED_PROPERTIES);
  if (signature === undefined) {
    return refusal(9102, `no element Signature in the namespace ${DSIG} was found`);
  }
  if (more.length > 0) return refusal(9103, `${more.length + 1} signatures were found, expected exactly 1`);
  const found = findRequest(document, signature, XADES_LIMITS);
  if (found === undefined) {
    const { name, namespaceUri } = document.root;
    return refusal(
      9101,
      `the root element is ${name.slice(0, 100)} in the namespace '${namespaceUri.slice(0, 100)}'; expected AuthTokenRequest (2.0 or 2.1), or ds:Signature with exactly one ds:Object that holds it`,
    );
  }
  if ('problems' in found.read) return refusal(21401, ...found.read.problems);
  const { request } = found.read;
  return {
    request,
    documentSha256: hash('sha256', input.bytes, 'base64'),
    verdict: judge(document, signature, found, request, input),
  };
}

/** Counter-signatures inside unsigned properties do not count, and nothing in there is ever read. */
const UNSIGNED_PROPERTIES = { name: 'UnsignedProperties', matches: isUnsignedProperties };

function isUnsignedProperties(element: XmlElement): boolean {
  if (!isNamed(element, XADES, 'UnsignedProperties')) return false;
  const qualifying = element.parent;
  const object = qualifying?.parent;
  return (
    qualifying !== null &&
    isNamed(qualifying, XADES, 'QualifyingProperties') &&
    object != null &&
    isNamed(object, DSIG, 'Object') &&
    object.parent !== null &&
    isNamed(object.parent, DSIG, 'Signature')
  );
}

/** Steps 11 to 14. */
function judge(
  document: XmlDocument,
  signature: XmlElement,
  found: FoundRequest,
  request: AuthTokenRequest,
  { mode, allowSha1 }: XadesInput,
): { refusal: XadesRefusal } | { accepted: VerifiedSignature } {
  try {
    const model = readSignature(signature);
    const certificate = signingCertificate(model);
    const covered = verifySignature(document, model, { key: certificate.key, allowSha1, limits: XADES_LIMITS });
    checkCoverage(found, request, covered);
    const { problems, properties } = checkProfile(model, covered, certificate.der, { allowSha1, limits: XADES_LIMITS });
    if (problems.length > 0 && mode === 'strict')
      return refusal(9105, detail(DETAIL_TEXTS.signatureProfile), ...problems);
    return {
      accepted: {
        signingCertificate: certificate.der,
        otherCertificates: certificate.others,
        signingTime: properties?.signingTime,
        trustedProfile: properties?.trustedProfile,
        warnings: problems.length > 0 ? [SIG_001] : [],
      },
    };
  } catch (error) {
    if (error instanceof UnreadableCertificate) return refusal(21115, error.message);
    if (error instanceof SignatureFailure) return refusal(9105, sentence(error), error.message);
    throw error;
  }
}

/** Observed text, without the full stop of the detail that strict mode gives. */
const SIG_001 = { code: 'sig-001', message: DETAIL_TEXTS.signatureProfile.replace(/\.$/, '') };

/**
 * What is verified is what is read: the request is read a second time, from the very octets that the reference covers, and must be
 * the one that the document shows. Whatever a transform left out or a wrapper put in would differ.
 */
function checkCoverage(found: FoundRequest, request: AuthTokenRequest, covered: readonly Covered[]): void {
  const covers = covered.some(({ element, octets }) => {
    if (!found.targets.some((target) => target.isSameNode(element))) return false;
    const read = found.readCovered(octets);
    return read !== undefined && 'request' in read && isDeepStrictEqual(read.request, request);
  });
  if (covers) return;
  const list = covered.map(({ reference, element }) => `'${reference.uri.slice(0, 100)}' (${element.name})`).join(', ');
  throw new SignatureFailure(
    'structure',
    `no reference covers the whole AuthTokenRequest; the signature covers ${list}`,
  );
}

/** The sentence that existing clients know for a failed step; the reason follows it. */
function sentence(failure: SignatureFailure): Detail {
  switch (failure.rule) {
    case 'algorithm':
      return detail(DETAIL_TEXTS.signatureAlgorithm);
    case 'digest':
      return detail(DETAIL_TEXTS.signatureDigest, { name: failure.element ?? '' });
    case 'value':
      return detail(DETAIL_TEXTS.signatureValue);
    case 'structure':
      return detail(DETAIL_TEXTS.signatureProfile);
  }
}

function place({ message, line, column }: XmlProblem): string {
  return line === 0 ? message : `line ${line}${column > 0 ? `, column ${column}` : ''}: ${message}`;
}

/** Texts of ours may quote the document, so they travel as values and are never read as templates. */
function refusal(code: number, ...details: (string | Detail)[]): { refusal: XadesRefusal } {
  return { refusal: { code, details: details.map((d) => (typeof d === 'string' ? detail('{0}', { 0: d }) : d)) } };
}
