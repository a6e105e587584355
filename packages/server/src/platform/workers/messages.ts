import type { PlainError } from './error-crossing.ts';

export interface TaskMessage {
  id: number;
  module: string;
  name: string;
  input: unknown;
}

export type ThreadMessage =
  /** The module was imported: from here on the deadline of the task counts. */
  | { id: number; kind: 'loaded' }
  | { id: number; kind: 'done'; output: unknown; recycle: boolean }
  | { id: number; kind: 'failed'; error: PlainError };
