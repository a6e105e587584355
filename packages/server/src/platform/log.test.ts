import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { ManualClock } from './clock.ts';
import { createLog, type LogOptions } from './log.ts';

function capture(options: LogOptions = {}) {
  const lines: string[] = [];
  const clock = new ManualClock('2026-02-03T04:05:06.789Z');
  const log = createLog({ readable: false, clock, destination: { write: (line) => lines.push(line) }, ...options });
  return { log, lines, text: () => lines.join(''), entries: () => lines.map((line) => JSON.parse(line)) };
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const pemBody = pem.split('\n')[1] ?? '';
const jwt =
  'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
const pesel = '44051401359';
const serviceToken = `20260101-EC-0123456789-ABCDEF0123-45|nip-5265877635|${'ab12'.repeat(16)}`;

test('writes JSON with level, ISO time of the clock, message and fields', () => {
  const { log, entries } = capture();
  log.info({ route: '/auth/challenge', status: 200 }, 'answered');
  expect(entries()).toEqual([
    { level: 30, time: '2026-02-03T04:05:06.789Z', route: '/auth/challenge', status: 200, msg: 'answered' },
  ]);
});

test('keeps quiet below its level', () => {
  const { log, lines } = capture({ level: 'warn' });
  log.info('no');
  log.warn('yes');
  expect(lines).toHaveLength(1);
});

test('child loggers carry the trace of their request', () => {
  const { log, entries } = capture();
  const child = log.child({ traceId: '0af7651916cd43dd8448eb211c80319c' });
  child.info('one');
  child.child({ job: 7 }).info('two');
  expect(entries()).toMatchObject([
    { traceId: '0af7651916cd43dd8448eb211c80319c', msg: 'one' },
    { traceId: '0af7651916cd43dd8448eb211c80319c', job: 7, msg: 'two' },
  ]);
});

const databaseError = Object.assign(new Error('duplicate key value violates unique constraint "people_pkey"'), {
  code: '23505',
  constraint: 'people_pkey',
  detail: 'Key (name)=(Secret Person) already exists.',
});

const leaks: [name: string, secret: string, write: (log: ReturnType<typeof createLog>) => void][] = [
  ['header', 'abcdefgh12345678', (log) => log.info({ headers: { Authorization: 'Bearer abcdefgh12345678' } })],
  ['header of any form', 'opaque-value', (log) => log.info({ headers: { authorization: 'opaque-value' } })],
  ['cookie', 'sid=42', (log) => log.info({ headers: { 'set-cookie': ['sid=42'] } })],
  [
    'token field',
    'plain-token',
    (log) => log.info({ body: { accessToken: { token: 'plain-token', validUntil: 'x' } } }),
  ],
  ['encrypted token field', 'YWJjZGVm', (log) => log.info({ encryptedToken: 'YWJjZGVm' })],
  ['list of tokens', 'second-one', (log) => log.info({ refresh_tokens: ['first-one', 'second-one'] })],
  ['jwt in a message', jwt, (log) => log.info(`could not read ${jwt} at all`)],
  ['jwt in a child binding', jwt, (log) => log.child({ what: jwt }).info('x')],
  ['service token in a message', 'ab12ab12ab12', (log) => log.info(`refused ${serviceToken}`)],
  ['password', 'hunter2', (log) => log.info({ user: { Password: 'hunter2' } })],
  ['password of digits', '12345678', (log) => log.info({ password: 12345678 })],
  ['database URL in a field', 's3cr3t', (log) => log.info({ database: 'postgres://kwit:s3cr3t@db:5432/kwit' })],
  ['database URL with odd password', 'p/w:x', (log) => log.info('connect postgres://kwit:p/w:x@db:5432/kwit failed')],
  ['connection string', 's3cr3t', (log) => log.info('host=db password=s3cr3t dbname=kwit')],
  ['redis URL without user', 's3cr3t', (log) => log.info({ redis: 'redis://:s3cr3t@cache' })],
  ['PEM in a message', pemBody, (log) => log.info(`key is ${pem}`)],
  ['PEM cut off', pemBody, (log) => log.info({ text: pem.slice(0, 100) })],
  ['private key field', 'MIGHAgEA', (log) => log.info({ private_key: 'MIGHAgEA' })],
  ['master key', 'c2VjcmV0', (log) => log.info({ config: { masterKey: 'c2VjcmV0' } })],
  ['AWS secret', 'wJalrXUt', (log) => log.info({ AWS_SECRET_ACCESS_KEY: 'wJalrXUt' })],
  ['signed link', 'AbC%2Bd', (log) => log.info({ url: '/storage/01/x?se=2026&sp=w&sig=AbC%2Bd' })],
  ['PESEL field', pesel, (log) => log.info({ pesel })],
  ['PESEL as an identifier', '11111111111', (log) => log.info({ subject: { type: 'Pesel', value: '11111111111' } })],
  ['PESEL as a number', pesel, (log) => log.info({ identifier: Number(pesel) })],
  ['PESEL in a message', pesel, (log) => log.info(`PNOPL-${pesel} signed`)],
  ['error message', jwt, (log) => log.error(new Error(`bad ${jwt}`))],
  [
    'cause of an error',
    'hunter2',
    (log) => log.error({ err: new Error('x', { cause: new Error('password=hunter2') }) }),
  ],
  ['row in a database error', 'Secret Person', (log) => log.error(databaseError, 'insert failed')],
  ['bytes', '115,101,99', (log) => log.info({ bytes: Buffer.from('secret') })],
];

test.each(leaks)('hides a secret: %s', (_name, secret, write) => {
  for (const readable of [false, true]) {
    const { log, text, lines } = capture({ readable });
    write(log);
    expect(lines).toHaveLength(1);
    expect(text()).not.toContain(secret);
  }
});

test('keeps what is no secret', () => {
  const { log, entries } = capture();
  log.info({
    tokenReferenceNumber: '20260101-EC-0123456789-ABCDEF0123-45',
    keyId: 'k-1',
    tokens: 5,
    nip: '5265877635',
    elevenDigits: '12345678901',
    url: 'http://localhost:8080/v2/auth/challenge',
  });
  expect(entries()[0]).toMatchObject({
    tokenReferenceNumber: '20260101-EC-0123456789-ABCDEF0123-45',
    keyId: 'k-1',
    tokens: 5,
    nip: '5265877635',
    elevenDigits: '12345678901',
    url: 'http://localhost:8080/v2/auth/challenge',
  });
});

test('errors keep type, message, stack, code and cause', () => {
  const { log, entries } = capture();
  log.error({ err: Object.assign(new TypeError('outer', { cause: databaseError }), { code: 'E1' }) }, 'failed');
  expect(entries()[0].err).toMatchObject({
    type: 'TypeError',
    message: 'outer',
    code: 'E1',
    stack: expect.stringContaining('log.test.ts'),
    cause: { code: '23505', constraint: 'people_pkey' },
  });
});

test('documents are cut short', () => {
  const { log, text } = capture();
  log.info({ document: 'x'.repeat(100_000) });
  expect(text().length).toBeLessThan(5_000);
});

test('the readable form is one line of time, level, message and fields', () => {
  const { log, text } = capture({ readable: true });
  log.warn({ traceId: 'abc', path: '/a b', n: 1 }, 'slow answer');
  expect(text()).toBe('04:05:06.789 warn  slow answer traceId=abc path="/a b" n=1\n');
});

test('the readable form shows where an error happened', () => {
  const { log, text } = capture({ readable: true });
  log.error({ err: new RangeError('too big') }, 'failed');
  const [first, second] = text().split('\n');
  expect(first).toBe('04:05:06.789 error failed err="RangeError: too big"');
  expect(second).toMatch(/^ {4}at .*log\.test\.ts/);
});

test('input cannot fake a line or drive the terminal in the readable form', () => {
  const { log, text } = capture({ readable: true });
  log.info({ name: 'a\n04:05:06 info fake', 'k\u001b[2J': 1 }, 'hello\r\n\u001b[31mfake\u202e');
  expect(text().split('\n')).toHaveLength(2);
  for (const char of ['\u001b', '\r', '\u202e']) expect(text()).not.toContain(char);
});
