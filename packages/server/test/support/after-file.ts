// The run was ended by force: without it nobody wants to know how the tests go on.
process.once('disconnect', () => process.exit(1));

const works: (() => unknown)[] = [];

/** Done after the last test of the file under way, whoever asks for it and when; what was asked last is done first. */
export function afterFile(work: () => unknown): void {
  works.push(work);
}

export async function finishFile(): Promise<void> {
  const failures: unknown[] = [];
  for (const work of works.splice(0).reverse()) {
    try {
      await work();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures);
}
