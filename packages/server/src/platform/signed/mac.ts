import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '../keys/key-ring.ts';

/** Authentication codes with the link secret of the key ring. `use` keeps a code of one use from being taken for another. */
export interface Mac {
  sign(data: string): Buffer;
  /** In constant time; codes of secrets that were rotated out are good while the ring still knows them. */
  verify(data: string, code: Uint8Array): boolean;
}

export const MAC_BYTES = 32;

export function macFor(use: string, keyRing: Pick<KeyRing, 'secrets'>): Mac {
  const compute = (key: ReturnType<KeyRing['secrets']>[number], data: string): Buffer =>
    createHmac('sha256', key.key).update(`${use}\0`).update(data).digest();
  return {
    sign: (data) => {
      const [current] = keyRing.secrets('LinkSigning');
      if (!current) throw new Error('the key ring has no secret for links');
      return compute(current, data);
    },
    verify: (data, code) => {
      if (code.length !== MAC_BYTES) return false;
      let good = false;
      for (const key of keyRing.secrets('LinkSigning')) if (timingSafeEqual(compute(key, data), code)) good = true;
      return good;
    },
  };
}
