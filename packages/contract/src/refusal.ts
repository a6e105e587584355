/**
 * A refusal of the catalogue, thrown by any layer and turned into an answer by the frame alone.
 * Templates keep `{placeholders}` apart from their values until the edge, where `{SVC}` becomes the configured name:
 * what a user typed is never read as a template.
 */
export interface Detail {
  template: string;
  values?: Readonly<Record<string, string | number>>;
}

export class Refusal extends Error {
  readonly problems: readonly { code: number; details: readonly Detail[] }[];

  constructor(problems: readonly { code: number; details: readonly Detail[] }[]) {
    super(`refused with ${problems.map((p) => p.code).join(', ')}`);
    this.name = 'Refusal';
    this.problems = problems;
  }
}

/** 400 with one code of the catalogue and its details. */
export function refuse(code: number, ...details: (string | Detail)[]): Refusal {
  return new Refusal([
    { code, details: details.map((d) => (typeof d === 'string' ? { template: '{0}', values: { 0: d } } : d)) },
  ]);
}

export function detail(template: string, values: Readonly<Record<string, string | number>> = {}): Detail {
  return { template, values };
}

export type ForbiddenReason =
  | 'missing-permissions'
  | 'ip-not-allowed'
  | 'insufficient-resource-access'
  | 'auth-method-not-allowed'
  | 'security-service-blocked'
  | 'context-type-not-allowed';

/** 403 with its reason and the members of `security`. */
export class Forbidden extends Error {
  readonly reason: ForbiddenReason;
  readonly security: Readonly<Record<string, unknown>> | undefined;

  constructor(reason: ForbiddenReason, security?: Readonly<Record<string, unknown>>) {
    super(`forbidden: ${reason}`);
    this.name = 'Forbidden';
    this.reason = reason;
    this.security = security;
  }
}

/** 401. `why` is for the log and for `WWW-Authenticate`; the body stays the fixed one. */
export class Unauthorized extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'Unauthorized';
  }
}

/** 410: the status was kept for its retention period and is no more. */
export class Gone extends Error {
  constructor() {
    super('the retention period of the operation is over');
    this.name = 'Gone';
  }
}
