import { ArchiveRefused } from './archive.ts';

export const SIGNATURE = {
  local: 0x04034b50,
  descriptor: 0x08074b50,
  central: 0x02014b50,
  zip64End: 0x06064b50,
  zip64Locator: 0x07064b50,
  end: 0x06054b50,
} as const;

/** A field of this value is written elsewhere, in 64 bits. */
export const MAX_16 = 0xffff;
export const MAX_32 = 0xffffffff;

export const FLAG = { encrypted: 0x1, descriptor: 0x8, utf8: 0x800 } as const;
export const STORED = 0;
export const DEFLATED = 8;
export const ZIP64_EXTRA = 0x0001;

export function asSize(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new ArchiveRefused('lying-header', 'The archive declares a size that no archive has.');
  }
  return Number(value);
}

/**
 * The real values of fields that may stand in the zip64 extra field, in its order (size, packed size, offset). Values that the
 * narrow fields already hold must not be contradicted: readers differ in which of the two they believe.
 */
export function zip64Extra<Values extends readonly number[]>(
  extra: Buffer,
  narrow: readonly [...Values],
  disk = 0,
): Values {
  const wide = findExtra(extra, ZIP64_EXTRA);
  const needed = narrow.filter((value) => value === MAX_32).length;
  const refuse = () => new ArchiveRefused('lying-header', 'The zip64 field of an entry contradicts its header.');
  if (wide === undefined) {
    if (needed > 0) throw new ArchiveRefused('lying-header', 'An entry announces a zip64 field that is not there.');
    return [...narrow] as readonly number[] as Values;
  }
  const diskLength = disk === MAX_16 ? 4 : 0;
  // Either only the values that do not fit, or (needlessly, but some do) all of them.
  const isMinimal = wide.length === needed * 8 + diskLength;
  if (!isMinimal && (wide.length % 8 !== 0 || wide.length > narrow.length * 8)) throw refuse();
  if (diskLength > 0 && (!isMinimal || wide.readUInt32LE(needed * 8) !== 0)) throw refuse();
  let at = 0;
  return narrow.map((value) => {
    if (isMinimal ? value !== MAX_32 : at + 8 > wide.length) {
      if (value === MAX_32) throw refuse();
      return value;
    }
    const found = asSize(wide.readBigUInt64LE(at));
    at += 8;
    if (value !== MAX_32 && found !== value) throw refuse();
    return found;
  }) as readonly number[] as Values;
}

function findExtra(extra: Buffer, wanted: number): Buffer | undefined {
  let found: Buffer | undefined;
  let at = 0;
  while (at + 4 <= extra.length) {
    const length = extra.readUInt16LE(at + 2);
    // Some programs pad the extra field; what cannot be read hides nothing that anyone could.
    if (at + 4 + length > extra.length) break;
    if (extra.readUInt16LE(at) === wanted) {
      if (found) throw new ArchiveRefused('lying-header', 'An entry has two zip64 fields.');
      found = extra.subarray(at + 4, at + 4 + length);
    }
    at += 4 + length;
  }
  return found;
}
