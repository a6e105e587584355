import { expect, test } from 'vitest';
import { testDatabase } from '../../../test/support/database.ts';
import { checkServerVersion, serverRefusal } from './server-version.ts';

test.each([90_624, 130_001, 140_019])('%i is too old, and the message says what is needed', (version) => {
  expect(serverRefusal(version)).toContain(`PostgreSQL ${Math.floor(version / 10_000)}; the service needs 15 or newer`);
});

test.each([150_000, 150_019, 180_004])('%i is taken', (version) => {
  expect(serverRefusal(version)).toBeUndefined();
});

test('the server of the tests is taken', async () => {
  await expect(checkServerVersion(await testDatabase())).resolves.toBeUndefined();
});
