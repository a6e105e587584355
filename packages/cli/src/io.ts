import { type Environment, systemEnvironment } from '@kwit/client';

/** What a command may touch: its output, the variables, and the client's clock. Tests bring their own. */
export interface Io {
  /** One or more lines of the result. */
  out(text: string): void;
  /** Complaints and notes, kept apart from the result. */
  err(text: string): void;
  env: Readonly<Record<string, string | undefined>>;
  /** Where a progress bar may be drawn; undefined when nobody watches. */
  progress: ProgressTarget | undefined;
  environment: Environment;
}

export interface ProgressTarget {
  columns: number;
  write(text: string): void;
}

export const terminal: Io = {
  out: (text) => console.log(text),
  err: (text) => console.error(text),
  env: process.env,
  progress: process.stderr.isTTY
    ? { columns: process.stderr.columns, write: (text) => process.stderr.write(text) }
    : undefined,
  environment: systemEnvironment,
};
