import type { ProgressTarget } from './io.ts';

export interface Progress {
  show(label: string, done: number, total: number): void;
  /** Clears the line. */
  end(): void;
}

/** A bar on one line of the terminal; nothing at all where nobody watches. */
export function createProgress(target: ProgressTarget | undefined): Progress {
  if (target === undefined) return { show() {}, end() {} };
  let shown = '';
  return {
    show(label, done, total) {
      const counts = ` ${done}/${total}`;
      const width = Math.max(10, Math.min(40, (target.columns || 80) - label.length - counts.length - 4));
      const filled = total === 0 ? width : Math.round((width * Math.min(done, total)) / total);
      const line = `${label} [${'#'.repeat(filled)}${'.'.repeat(width - filled)}]${counts}`;
      if (line === shown) return;
      target.write(`\r${line.padEnd(shown.length)}`);
      shown = line;
    },
    end() {
      if (shown !== '') target.write(`\r${' '.repeat(shown.length)}\r`);
      shown = '';
    },
  };
}
