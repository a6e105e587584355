import { runC14n } from './engine.ts';
import type { NodeSet } from './node-set.ts';

export interface C14n {
  mode: 0 | 1 | 2;
  comments: boolean;
  /** Exclusive canonicalisation only: prefixes treated as the inclusive one does; `#default` is the default namespace. */
  prefixes?: readonly string[];
}

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

export const INCLUSIVE_C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
export const EXCLUSIVE_C14N = EXCLUSIVE;

/** The six methods of the interface; nothing else canonicalises. */
export const C14N_METHODS: ReadonlyMap<string, C14n> = new Map([
  [INCLUSIVE_C14N, { mode: 0, comments: false }],
  [`${INCLUSIVE_C14N}#WithComments`, { mode: 0, comments: true }],
  [EXCLUSIVE, { mode: 1, comments: false }],
  [`${EXCLUSIVE}WithComments`, { mode: 1, comments: true }],
  ['http://www.w3.org/2006/12/xml-c14n11', { mode: 2, comments: false }],
  ['http://www.w3.org/2006/12/xml-c14n11#WithComments', { mode: 2, comments: true }],
] satisfies [string, C14n][]);

/** The engine refuses what the standards leave undefined, such as relative namespace names. */
export class NotCanonicalizable extends Error {
  constructor() {
    super('the nodes have no canonical form (a relative namespace name, for example)');
    this.name = 'NotCanonicalizable';
  }
}

export function canonicalize(set: NodeSet, method: C14n): Buffer {
  const bytes = runC14n(set.document, method.mode, method.prefixes ?? [], method.comments, set.has);
  if (bytes === undefined) throw new NotCanonicalizable();
  return bytes;
}
