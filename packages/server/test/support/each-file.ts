/** Run before every test file. Modules live as long as a worker does, so their hooks cannot be set where they are loaded. */
import { afterAll } from 'vitest';
import { finishFile } from './after-file.ts';
import { restockRsaKeys } from './rsa-stock.ts';

// For the processes and threads that tests start.
const { COMPILED_PROGRAMS } = process.env;
if (COMPILED_PROGRAMS) process.env.NODE_COMPILE_CACHE = COMPILED_PROGRAMS;

restockRsaKeys();
afterAll(finishFile);
