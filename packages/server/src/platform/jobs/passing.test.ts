import { expect, test } from 'vitest';
import { Interrupted, isPassing } from './passing.ts';

test.each([
  ['a worker that died', new Interrupted('the worker died')],
  ['a lost connection', { code: 'ECONNRESET' }],
  ['a full disk', { code: 'ENOSPC' }],
  ['a database that shuts down', { code: '57P01' }],
  ['a deadlock', { code: '40P01' }],
  ['a blob store that is overloaded', { name: 'SlowDown', $metadata: { httpStatusCode: 503 } }],
])('%s passes', (_, error) => {
  expect(isPassing(error)).toBe(true);
});

test.each([
  ['a fault in the code', new TypeError('x is not a function')],
  ['a constraint', { code: '23502' }],
  ['a file where a folder should be', { code: 'ENOTDIR' }],
  ['a bucket that is not there', { name: 'NoSuchBucket', $metadata: { httpStatusCode: 404 } }],
  ['nothing', undefined],
])('%s does not', (_, error) => {
  expect(isPassing(error)).toBe(false);
});
