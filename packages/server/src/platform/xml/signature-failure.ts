/** Which kind of rule a signature breaks; the caller maps it to its own codes. */
export type SignatureRule =
  /** Not the one shape that is read: elements, values, identifiers, references. */
  | 'structure'
  /** A transform, algorithm, key kind or key size outside the allow-lists. */
  | 'algorithm'
  | 'digest'
  | 'value';

/** Why a signature is refused: the rule, the place, what stands there and what was expected. */
export class SignatureFailure extends Error {
  readonly rule: SignatureRule;
  /** Local name of the element that a failing reference points to. */
  readonly element: string | undefined;

  constructor(rule: SignatureRule, message: string, element?: string) {
    super(message);
    this.name = 'SignatureFailure';
    this.rule = rule;
    this.element = element;
  }
}
