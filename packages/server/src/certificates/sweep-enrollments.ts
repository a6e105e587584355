import { referenceDay } from '@kwit/contract/reference-number';
import type { Sweep } from '../retention/sweep.ts';
import { deleteEnrollments, readEnrollments } from './sweep-store.ts';

/** Requests that led to no certificate. The others stay with their certificates, for ever. */
export const sweepEnrollments: Sweep = {
  name: 'enrollments',
  async sweep(tx, { after, before, limit }) {
    const references = await readEnrollments(tx, after, referenceDay(before), limit);
    const deleted = references.length === 0 ? 0 : await deleteEnrollments(tx, references);
    return { examined: references.length, deleted, position: references.at(-1) ?? after };
  },
};
