/** Run before every test file. Modules live as long as a worker does, so their hooks cannot be set where they are loaded. */
import { afterAll } from 'vitest';
import { finishFile } from './after-file.ts';

afterAll(finishFile);
