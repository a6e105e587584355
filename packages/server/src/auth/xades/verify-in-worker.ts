import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail } from '@kwit/contract/refusal';
import { DeadlineExceeded, type Task, type WorkerPool } from '../../platform/workers/pool.ts';
import type { XadesInput, XadesOutcome } from './outcome.ts';

export const verifyXadesRequestTask: Task<XadesInput, XadesOutcome> = {
  module: new URL('./verify-xades-request.ts', import.meta.url),
  name: 'verifyXadesRequest',
};

/** An honest document takes a few milliseconds; a filter expression can be written to run for hours. */
export const XADES_DEADLINE_MS = 2000;

/** Verifies in a thread that is stopped when it takes too long: expressions of transforms are the sender's code. */
export async function verifyInWorker(
  pool: WorkerPool,
  input: XadesInput,
  deadlineMs: number = XADES_DEADLINE_MS,
): Promise<XadesOutcome> {
  try {
    return await pool.run(verifyXadesRequestTask, input, { deadlineMs });
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
    const why = `the signature was not verified within ${deadlineMs} ms; its transforms ask for too much work`;
    return { refusal: { code: 9105, details: [detail(DETAIL_TEXTS.signatureAlgorithm), detail('{0}', { 0: why })] } };
  }
}
