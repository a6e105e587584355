/** Work for the threads of packages; imports types only. */
import type { Task } from '../../platform/workers/pool.ts';
import type { Slice, SliceRequest } from './read-slice.ts';

const module = new URL('./read-slice.ts', import.meta.url);

export const readSliceTask: Task<SliceRequest, Slice> = { module, name: 'readSlice' };
export const leavePackageTask: Task<{ path: string }, undefined> = { module, name: 'leavePackage' };
