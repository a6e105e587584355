import { randomBytes, randomUUID } from 'node:crypto';

/** The only source of randomness, handed in like the clock. */
export interface Random {
  bytes(length: number): Buffer;
  uuid(): string;
}

const STOCK = 4096;
const TAKEN_FROM_STOCK = 64;

/**
 * Every request needs a few random bytes, and asking the operating system for them costs more than most of what else it does:
 * small amounts come from a stock fetched at once. What was handed out is wiped there, so that nothing is given twice or lies around.
 */
function stocked(): (length: number) => Buffer {
  let stock = Buffer.alloc(0);
  let at = 0;
  return (length) => {
    if (length > TAKEN_FROM_STOCK) return randomBytes(length);
    if (at + length > stock.length) {
      stock = randomBytes(STOCK);
      at = 0;
    }
    const end = at + length;
    const taken = Buffer.from(stock.subarray(at, end));
    stock.fill(0, at, end);
    at = end;
    return taken;
  };
}

export const systemRandom: Random = { bytes: stocked(), uuid: () => randomUUID() };
