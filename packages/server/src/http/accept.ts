import { BareStatus } from './errors.ts';

const PRODUCED =
  /^(?:\*\/\*|application\/(?:\*|json|problem\+json|xml|octet-stream)|text\/(?:\*|plain|html|xml|json))$/;

/** The format never depends on `Accept`; only who rules out everything this service ever sends gets 406. */
export function checkAccept(accept: string | undefined, document: string | undefined): void {
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return;
  const types = accept.split(',').map((part) => part.split(';')[0]?.trim().toLowerCase() ?? '');
  if (!types.some((type) => type === document || PRODUCED.test(type)))
    throw new BareStatus(406, `nothing this service sends fits Accept: ${accept}`);
}
