/** Remembers what is costly to make, by a key, up to a number of entries: the one not used for the longest time goes first. */
export interface Memory<Value> {
  /** The remembered value, or a new one. What `make` throws is not remembered. */
  recall(key: string, make: () => Value): Value;
}

export function createMemory<Value>(most: number): Memory<Value> {
  // A map keeps the order of insertion: an entry that is used goes to the end.
  const known = new Map<string, Value>();
  return {
    recall(key, make) {
      const found = known.get(key);
      const value = found === undefined ? make() : found;
      if (found !== undefined) known.delete(key);
      else if (known.size >= most) known.delete(known.keys().next().value as string);
      known.set(key, value);
      return value;
    },
  };
}
