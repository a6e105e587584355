/** Comments and CDATA sections of a well-formed document without DOCTYPE: what looks like markup inside them is none. */
export interface Region {
  readonly start: number;
  readonly end: number;
}

const OPENERS = [
  { open: '<!--', close: '-->' },
  { open: '<![CDATA[', close: ']]>' },
];

export function quotedRegions(bytes: Buffer): Region[] {
  const regions: Region[] = [];
  let at = 0;
  // The next occurrence of each opener is kept until passed, so that the whole costs one scan per kind.
  const next = OPENERS.map(({ open }) => bytes.indexOf(open));
  for (;;) {
    let which = -1;
    for (const [i, opener] of OPENERS.entries()) {
      if (next[i] !== -1 && next[i]! < at) next[i] = bytes.indexOf(opener.open, at);
      if (next[i] !== -1 && (which === -1 || next[i]! < next[which]!)) which = i;
    }
    if (which === -1) return regions;
    const { open, close } = OPENERS[which]!;
    const start = next[which]!;
    const closing = bytes.indexOf(close, start + open.length);
    const end = closing === -1 ? bytes.length : closing + close.length;
    regions.push({ start, end });
    at = end;
  }
}

/** Offsets of `needle` outside the regions, at most `limit`. */
export function offsetsOutside(
  bytes: Buffer,
  needle: string,
  from: number,
  regions: readonly Region[],
  limit: number,
): number[] {
  const found: number[] = [];
  let region = 0;
  let at = bytes.indexOf(needle, from);
  while (at !== -1 && found.length < limit) {
    while (region < regions.length && regions[region]!.end <= at) region++;
    const quoted = region < regions.length && regions[region]!.start <= at;
    if (!quoted) found.push(at);
    at = bytes.indexOf(needle, quoted ? regions[region]!.end : at + needle.length);
  }
  return found;
}
