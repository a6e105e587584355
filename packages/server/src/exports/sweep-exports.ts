import { referenceDay } from '@kwit/contract/reference-number';
import type { Sweep } from '../retention/sweep.ts';
import { deleteExports } from './sweep-store.ts';

/** Exports that ended, with the list of their parts; the parts themselves went when the package expired. */
export const sweepExports: Sweep = {
  name: 'exports',
  async sweep(tx, { after, before, limit }) {
    const deleted = await deleteExports(tx, referenceDay(before), limit);
    return { examined: deleted, deleted, position: after };
  },
};
