/** Lets work begin when the work before it has ended, or when that takes longer than one likes to wait. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * For work that may well run at the same time but costs less one after the other, as those do who compete for a lock that they can do
 * without. Nobody waits for ever behind one that is stuck.
 */
export function createTurns(patienceMs: number): Turns {
  let before: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = within(patienceMs, before).then(work);
    before = mine.catch(() => undefined);
    return mine;
  };
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
