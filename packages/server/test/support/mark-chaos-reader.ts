import { LIFETIMES } from '@kwit/contract/limits';
import type { Node, Range, SubjectType } from './mark-chaos-nodes.ts';

/** How a reader reads: up to the mark by queries or exports, or up to now with the last stretch read again. */
export type Manner = 'query' | 'export' | 'eager';

export interface Reader {
  name: string;
  /** One request, of any node; when a window is through, what it brought and where the next begins are saved together. */
  step(node: Node): Promise<void>;
  /** Forgets all that was not saved. */
  crash(): void;
  /** Numbers saved so far, in order. */
  held(): readonly string[];
  /** Windows that were saved, and requests that were answered. */
  counts: { windows: number; requests: number; crashes: number };
}

interface Saved {
  from: string;
  /** `from` is a mark, at which nothing may come again; not an end that the reader chose, where one may. */
  atMark: boolean;
}

interface Window {
  range: Range;
  page: number;
  numbers: string[];
  /** When the first page was asked for, by the clock of the node that answered. */
  begun: number;
}

/**
 * Reads incrementally as a careful client would, and complains about everything that such a client may rely on: a window that begins at
 * a mark brings nothing again, the mark never lies before it, pages of a query share it, a page brings nothing twice.
 */
export function createReader(
  options: { name: string; manner: Manner; nip: string; subjectType: SubjectType; start: number; random: () => number },
  complain: (violation: string) => void,
): Reader {
  const { name, manner, nip, subjectType, random } = options;
  let saved: Saved = { from: new Date(options.start).toISOString(), atMark: false };
  let window: Window | undefined;
  let mark: string | undefined;
  const held: string[] = [];
  const known = new Set<string>();
  const counts = { windows: 0, requests: 0, crashes: 0 };

  function open(): Window {
    // Sometimes with an end of its own, in the past or in the future.
    const to =
      manner !== 'eager' && random() < 0.3 ? Date.parse(saved.from) + 1 + Math.floor(random() * 4_000) : undefined;
    return {
      range: {
        dateType: 'PermanentStorage',
        from: saved.from,
        ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
        restrictToPermanentStorageHwmDate: manner !== 'eager',
      },
      page: 0,
      numbers: [],
      begun: 0,
    };
  }

  /** Clocks that jump may let the time of a query run out between two pages; then it has to be asked anew. */
  function hasRunOut({ begun }: Window, now: number): boolean {
    return now >= begun + LIFETIMES.queryHighWaterMark;
  }

  /** @param atMark whether the window was read to its end */
  function close(done: Window, next: string, atMark = true): void {
    if (next < done.range.from && Date.parse(next) < Date.parse(done.range.from)) {
      complain(`${name}: a window from ${done.range.from} ends before it, at ${next}`);
    }
    if (new Set(done.numbers).size < done.numbers.length) complain(`${name}: a window brought an invoice twice`);
    for (const number of done.numbers) {
      if (known.has(number)) {
        if (saved.atMark && manner !== 'eager')
          complain(`${name}: ${number} came again in the window from the mark ${saved.from}`);
        continue;
      }
      known.add(number);
      held.push(number);
    }
    const { to } = done.range;
    saved = { from: next, atMark: atMark && (to === undefined || Date.parse(next) < Date.parse(to)) };
    counts.windows += 1;
    window = undefined;
  }

  return {
    name,
    counts,
    held: () => held,
    crash() {
      if (window) counts.crashes += 1;
      window = undefined;
    },
    async step(node) {
      window ??= open();
      const current = window;
      counts.requests += 1;
      try {
        if (manner === 'export') {
          const { numbers, next } = await node.export(nip, subjectType, current.range);
          if (window !== current) return;
          current.numbers.push(...numbers);
          close(current, next);
          return;
        }
        const asked = node.clock.now();
        const page = await node.query(nip, subjectType, current.range, current.page);
        if (window !== current) return;
        // The clock may have been set meanwhile, either way.
        const answered = node.clock.now();
        if (current.page === 0) current.begun = Math.min(asked, answered);
        else if (hasRunOut(current, Math.max(asked, answered))) {
          window = undefined;
          return;
        }
        current.numbers.push(...page.invoices.map((i) => i.svcNumber));
        if (current.page > 0 && page.permanentStorageHwmDate !== mark)
          complain(`${name}: the mark moved between two pages`);
        mark = page.permanentStorageHwmDate;
        current.page += 1;
        // More than a query shows: on from the last one, which comes again.
        if (page.isTruncated) close(current, page.invoices.at(-1)?.permanentStorageDate ?? '', false);
        else if (!page.hasMore) close(current, page.permanentStorageHwmDate ?? '');
      } catch (error) {
        complain(`${name}: ${JSON.stringify(current.range)} was refused: ${describe(error)}`);
        window = undefined;
      }
    },
  };
}

function describe(error: unknown): string {
  const { problems } = error as { problems?: readonly { code: number; details?: unknown }[] };
  return problems ? JSON.stringify(problems) : String((error as Error).stack ?? error);
}
