/**
 * A bounded map in two generations. What is asked for moves into the current one; when a span has passed, the previous one is
 * dropped whole: nobody asked for its entries for at least that span. No timer, no sweep, no order to keep.
 * The same happens early when the current generation fills half of the room. What goes then are the entries that were not asked
 * for since the turn before: an active key never goes, and room is never made by refusing newcomers.
 */
export interface Generations<T> {
  /** Marks the entry as used. */
  find(key: string, now: number): T | undefined;
  add(key: string, value: T): void;
  /** An entry that was just found or added takes so much more room. */
  grew(bytes: number): void;
  /** After a step back of the clock: the span begins anew. */
  restart(now: number): void;
  forEach(visit: (value: T) => void): void;
  size(): GenerationsSize;
}

export interface GenerationsSize {
  entries: number;
  /** Estimated. */
  bytes: number;
  /** Entries dropped for want of room, since the start. */
  droppedEarly: number;
}

export interface GenerationsOptions<T> {
  spanMs: number;
  maxBytes: number;
  bytesOf: (key: string, value: T) => number;
}

export function createGenerations<T>({ spanMs, maxBytes, bytesOf }: GenerationsOptions<T>): Generations<T> {
  let current = new Map<string, T>();
  let previous = new Map<string, T>();
  let currentBytes = 0;
  let previousBytes = 0;
  let turnedAt = Number.NEGATIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  let droppedEarly = 0;

  function turn(): void {
    previous = current;
    previousBytes = currentBytes;
    current = new Map();
    currentBytes = 0;
    // Also after an early turn the next one in time is a whole span away: what is in `previous` now was asked for until now.
    turnedAt = latest;
  }

  function add(key: string, value: T): void {
    const bytes = bytesOf(key, value);
    if (current.size > 0 && currentBytes + bytes > maxBytes / 2) {
      droppedEarly += previous.size;
      turn();
    }
    current.set(key, value);
    currentBytes += bytes;
  }

  return {
    find(key, now) {
      latest = now;
      if (now - turnedAt >= spanMs) turn();
      const found = current.get(key);
      if (found !== undefined || previous.size === 0) return found;
      const older = previous.get(key);
      if (older === undefined) return undefined;
      previous.delete(key);
      previousBytes -= bytesOf(key, older);
      add(key, older);
      return older;
    },
    add,
    grew(bytes) {
      currentBytes += bytes;
    },
    restart(now) {
      turnedAt = now;
    },
    forEach(visit) {
      for (const value of previous.values()) visit(value);
      for (const value of current.values()) visit(value);
    },
    size: () => ({ entries: current.size + previous.size, bytes: currentBytes + previousBytes, droppedEarly }),
  };
}
