/**
 * Joins calls that come while another one is under way, so that a busy service asks the database once for many: one message, one statement,
 * one commit. A call that finds nothing under way goes at once, so a quiet service answers as fast as before.
 */
export interface GatherOptions {
  /** Calls in one batch at most. */
  most?: number;
  /** Batches under way at the same time. More than one where a batch may have to wait for a lock and would hold up everybody. */
  atOnce?: number;
}

interface Waiting<Input, Output> {
  input: Input;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

/** The server refused the statement: nothing of it was done. Any other error (a lost connection) may have come after the commit. */
function isRefusal(error: unknown): boolean {
  return /^[0-9A-Z]{5}$/.test((error as { code?: string }).code ?? '');
}

/** @param run does a batch in one statement, all or nothing, and gives the outputs in the order of the inputs */
export function gather<Input, Output>(
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>,
  { most = 50, atOnce = 1 }: GatherOptions = {},
): (input: Input) => Promise<Output> {
  const waiting: Waiting<Input, Output>[] = [];
  let underWay = 0;

  function start(): void {
    while (underWay < atOnce && waiting.length > 0) {
      underWay += 1;
      void finish(waiting.splice(0, most)).then(() => {
        underWay -= 1;
        start();
      });
    }
  }

  async function finish(batch: readonly Waiting<Input, Output>[]): Promise<void> {
    try {
      const outputs = await run(batch.map(({ input }) => input));
      if (outputs.length !== batch.length) throw new Error(`${outputs.length} outputs for ${batch.length} inputs`);
      for (const [index, { resolve }] of batch.entries()) resolve(outputs[index] as Output);
    } catch (error) {
      // One of them may be to blame: each for itself, so that it fails alone.
      if (batch.length > 1 && isRefusal(error)) for (const one of batch) await finish([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      start();
    });
}
