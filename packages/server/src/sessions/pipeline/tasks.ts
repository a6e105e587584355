/** Work for the thread pool; imports types only, so that the main thread never loads the schema engine. */
import type { Task } from '../../platform/workers/pool.ts';
import type { Judged, JudgeInput } from './judge-contents.ts';

export const judgeContentsTask: Task<JudgeInput, Judged[]> = {
  module: new URL('./judge-contents.ts', import.meta.url),
  name: 'judgeContents',
};
