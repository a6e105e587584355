import { randomBytes, randomUUID } from 'node:crypto';

/** The only source of randomness, handed in like the clock. */
export interface Random {
  bytes(length: number): Buffer;
  uuid(): string;
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length), uuid: () => randomUUID() };
