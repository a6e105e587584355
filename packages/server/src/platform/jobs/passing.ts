/** A job whose workers died, or that nobody could bring to its end: it left no error of its own. */
export class Interrupted extends Error {
  override name = 'Interrupted';
}

/** SQLSTATE classes: connection, rollback, resources, intervention, system. */
const SQL_STATES = /^(?:08|40|53|57|58)/;
/** The other side cannot be reached, or the machine is short of something. A folder that is not one does not become one. */
const SYSTEM_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'],
  ...['EAI_AGAIN', 'EAGAIN', 'EBUSY', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT'],
]);

/** Trouble that passes by itself, of the database, the network or the machine: who asked may as well ask again. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Interrupted) return true;
  if (typeof error !== 'object' || error === null) return false;
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  // A blob store that answers, but not now.
  if (($metadata?.httpStatusCode ?? 0) >= 500) return true;
  return typeof code === 'string' && (SYSTEM_CODES.has(code) || (code.length === 5 && SQL_STATES.test(code)));
}
