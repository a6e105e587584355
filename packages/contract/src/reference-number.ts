import { crc8Hex, hex } from './crc8.ts';

/** Two letters that say what a reference number stands for. */
export const REFERENCE_KINDS = {
  CR: 'challenge',
  AU: 'authentication operation and session',
  EC: 'system token',
  SO: 'interactive session',
  SB: 'batch session',
  EE: 'invoice in a session',
  EU: 'page of a receipt',
  EG: 'permission operation',
  EH: 'invoice export and certificate enrollment',
} as const;
export type ReferenceKind = keyof typeof REFERENCE_KINDS;

/** Only the length is contractual for input; the pattern is that of the published schemas. */
export const REFERENCE_NUMBER_LENGTH = 36;
const REFERENCE_NUMBER_PATTERN =
  '^(20[2-9][0-9]|2[1-9][0-9]{2}|[3-9][0-9]{3})(0[1-9]|1[0-2])(0[1-9]|[1-2][0-9]|3[0-1])-([0-9A-Z]{2})-([0-9A-F]{10})-([0-9A-F]{10})-([0-9A-F]{2})$';
const REFERENCE_NUMBER = new RegExp(REFERENCE_NUMBER_PATTERN);
export const CHALLENGE_PATTERN = '^\\d{8}-CR-[A-F0-9]{10}-[A-F0-9]{10}-[A-F0-9]{2}$';

const DAY = 86_400_000;

export interface ReferenceNumberParts {
  /** Creation day, `YYYYMMDD` in UTC. */
  day: string;
  /** Usually a `ReferenceKind`; other letters fit the pattern too. */
  kind: string;
  /** Milliseconds since midnight UTC. */
  millisecondOfDay: number;
  /** Position within the millisecond. */
  sequence: number;
  random: string;
  checksum: string;
  checksumValid: boolean;
}

/** Check digits of the first 33 characters. */
function referenceChecksum(first33: string): string {
  return crc8Hex(first33);
}

/** Fits the pattern, and the kind when one is asked for. The checksum is not a reason to refuse input. */
export function isReferenceNumber(text: string, kind?: ReferenceKind): boolean {
  return REFERENCE_NUMBER.test(text) && (kind === undefined || text.slice(9, 11) === kind);
}

export function parseReferenceNumber(text: string): ReferenceNumberParts | undefined {
  if (!REFERENCE_NUMBER.test(text)) return undefined;
  const checksum = text.slice(34);
  return {
    day: text.slice(0, 8),
    kind: text.slice(9, 11),
    millisecondOfDay: Number.parseInt(text.slice(12, 19), 16),
    sequence: Number.parseInt(text.slice(19, 22), 16),
    random: text.slice(23, 33),
    checksum,
    checksumValid: referenceChecksum(text.slice(0, 33)) === checksum,
  };
}

/** How every number of a day begins, so that numbers of older days sort before it. */
export function referenceDay(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10).replaceAll('-', '');
}

/** A number of the given moment (milliseconds since 1970), place in that millisecond, and ten hexadecimal digits. */
export function formatReferenceNumber(kind: ReferenceKind, moment: number, sequence: number, random: string): string {
  const body = `${referenceDay(moment)}-${kind}-${hex(moment % DAY, 7)}${hex(sequence, 3)}-${random}`;
  const number = `${body}-${referenceChecksum(body)}`;
  if (!REFERENCE_NUMBER.test(number)) throw new RangeError(`no reference number can be made of ${number}`);
  return number;
}

export interface ReferenceNumbers {
  next(kind: ReferenceKind): string;
}

const SEQUENCES = 0x1000;

/**
 * Hands out reference numbers. Moment and sequence only ever grow: when the clock stands still the sequence counts on,
 * when it is used up the next millisecond is taken ahead of time, and when the clock is set back the last moment is kept.
 * So one process never repeats itself, and the random part keeps processes apart.
 */
export function createReferenceNumbers(source: {
  now: () => number;
  bytes: (length: number) => Uint8Array;
}): ReferenceNumbers {
  let moment = Number.NEGATIVE_INFINITY;
  let sequence = 0;
  return {
    next(kind) {
      const now = Math.floor(source.now());
      if (now > moment) {
        moment = now;
        sequence = 0;
      } else if (++sequence === SEQUENCES) {
        moment += 1;
        sequence = 0;
      }
      const random = Buffer.from(source.bytes(5)).toString('hex').toUpperCase();
      return formatReferenceNumber(kind, moment, sequence, random);
    },
  };
}
