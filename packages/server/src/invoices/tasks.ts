/** Work for the thread pool. Imports types only: the main thread never loads the schema engine for it. */
import type { Task } from '../platform/workers/pool.ts';
import type { Verdict } from './verdict.ts';
import type { VerifyInput } from './verify-document.ts';

const module = new URL('./verify-document.ts', import.meta.url);

export const verifyDocumentTask: Task<VerifyInput, Verdict> = { module, name: 'verifyDocument' };
export const verifyDocumentsTask: Task<readonly VerifyInput[], Verdict[]> = { module, name: 'verifyDocuments' };
