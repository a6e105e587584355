/** Work for the thread pool. Imports types only: the main thread never loads the XML engine for it. */
import type { Task } from '../../platform/workers/pool.ts';
import type { ShowOptions } from './show-document.ts';

const module = new URL('./show-document.ts', import.meta.url);

export const showDocumentTask: Task<ShowOptions & { bytes: Uint8Array }, { title: string; markup: string }> = {
  module,
  name: 'showServed',
};
