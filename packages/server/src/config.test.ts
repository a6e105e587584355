import { describe, expect, test } from 'vitest';
import { BadSetting, describeSettings, maskedConfig, readConfig, SETTINGS } from './config.ts';

describe('settings', () => {
  test('without any argument the service is on loopback, on TEST, under the neutral name', () => {
    const config = readConfig([], {});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      name: 'svc',
      environment: 'TEST',
      ephemeral: false,
      limiter: true,
    });
  });

  test('a flag wins over the variable, the variable over the default', () => {
    expect(readConfig(['--port', '9000'], { KWIT_PORT: '9001' }).port).toBe(9000);
    expect(readConfig([], { KWIT_PORT: '9001' }).port).toBe(9001);
    expect(readConfig([], { KWIT_PORT: '' }).port).toBe(8080);
    expect(readConfig(['--name=KSeF', '--ephemeral', '--limiter', 'off'], {})).toMatchObject({
      name: 'ksef',
      ephemeral: true,
      limiter: false,
    });
  });

  test.each([
    [['--port', '70000'], '--port: "70000" is not allowed; expected a whole number from 0 to 65535.'],
    [['--port', '-1'], '--port: "-1" is not allowed; expected a whole number from 0 to 65535.'],
    [['--port', '80.5'], '--port: "80.5" is not allowed; expected a whole number from 0 to 65535.'],
    [['--name', 'other'], '--name: "other" is not allowed; expected svc | ksef.'],
    [['--environment', 'PROD'], '--environment: "PROD" is not allowed; expected TEST | DEMO | PRD.'],
    [
      ['--blobs', 'gs://bucket'],
      '--blobs: "gs://bucket" is not allowed; expected a folder, or s3://bucket (keys from the usual AWS variables).',
    ],
    [['--trusted-proxies', '10.0.0.0/8,proxy.local'], '--trusted-proxies: "10.0.0.0/8,proxy.local" is not allowed'],
    [['--port'], '--port: a value is missing'],
    [['--colour', 'red'], '--colour: unknown argument'],
    [['serve'], 'serve: unknown argument'],
  ])('%j is refused with a sentence', (args, message) => {
    expect(() => readConfig(args, {})).toThrow(BadSetting);
    expect(() => readConfig(args, {})).toThrow(message);
  });

  test('a secret is neither echoed in a refusal nor shown in the log', () => {
    expect(() => readConfig([], { KWIT_MASTER_KEY: 'topsecret' })).toThrow(
      'KWIT_MASTER_KEY: the given value is not allowed',
    );
    const config = readConfig([], { DATABASE_URL: 'postgres://u:hunter2@db/kwit' });
    expect(JSON.stringify(maskedConfig(config))).not.toContain('hunter2');
  });

  test('help names every flag, variable and meaning', () => {
    const help = describeSettings();
    for (const s of Object.values(SETTINGS))
      for (const part of [`--${s.flag}`, s.variable, s.meaning]) expect(help).toContain(part);
  });
});
