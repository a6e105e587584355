import { rewrapRows, type Sealed } from '../platform/keys/rewrap-keys.ts';
import { sealedColumn } from '../platform/keys/sealed-column.ts';
import { contentBinding } from '../sessions/content-key.ts';

/** Content keys of running exports; finished ones have none any more. */
export const exportContentKeys: Sealed = {
  name: 'exports',
  rewrap: (tx, keys) => rewrapRows(keys, contentBinding, sealedColumn(tx, 'invoice_export')),
};
