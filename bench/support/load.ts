/** Runs `work` over and over with so many at once, until the time is over; gives how often it finished and how long each took. */
export async function loop(
  work: (turn: number) => Promise<void>,
  options: { concurrency: number; seconds?: number; turns?: number },
): Promise<{ done: number; seconds: number; perSecond: number; latencies: number[] }> {
  const start = performance.now();
  const end = options.seconds === undefined ? Number.POSITIVE_INFINITY : start + options.seconds * 1000;
  const most = options.turns ?? Number.POSITIVE_INFINITY;
  const latencies: number[] = [];
  let turn = 0;
  async function one(): Promise<void> {
    while (performance.now() < end && turn < most) {
      const mine = turn;
      turn += 1;
      const began = performance.now();
      await work(mine);
      latencies.push(performance.now() - began);
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, one));
  const seconds = (performance.now() - start) / 1000;
  return { done: latencies.length, seconds, perSecond: latencies.length / seconds, latencies };
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? Number.NaN;
}
