import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { ApiError } from '@kwit/client/api-error';
import { sampleInvoice } from '@kwit/client/sample-invoices';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Actor, logIn } from '../../../test/support/actors.ts';
import {
  closePackage,
  type OpenedPackage,
  openPackage,
  packageStatus,
  sendPackage,
  upload,
  uploadAll,
  zipOf,
} from '../../../test/support/packages.ts';
import { startTestService } from '../../../test/support/service.ts';

const service = await startTestService();
const SELLER = '5265877635';
let seller: Actor;
// Tests move the clock further than a token lives.
beforeEach(async () => {
  seller = await logIn(service, SELLER);
});
let counter = 0;

function archive(): Buffer {
  counter += 1;
  const issueDate = new Date(service.clock.now()).toISOString().slice(0, 10);
  return zipOf({
    'a.xml': sampleInvoice({ seller: { nip: SELLER, name: 'S' }, number: `FV/U/${counter}`, issueDate }),
  });
}

const linkOf = (opened: OpenedPackage, ordinal = 1) => opened.uploads[ordinal - 1] as OpenedPackage['uploads'][number];

async function put(url: string, init: RequestInit = {}): Promise<{ status: number; body: string }> {
  const response = await fetch(url, {
    method: 'PUT',
    headers: { 'x-ms-blob-type': 'BlockBlob' },
    body: new Uint8Array(16),
    ...init,
  });
  return { status: response.status, body: await response.text() };
}

/** Parts in the blob folder, whole or not. */
function blobs(): string[] {
  const folder = join(service.config.data, 'blobs');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe('by the link', () => {
  test('a part is stored without a token: 201, no body; a token beside it is ignored', async () => {
    const opened = await openPackage(seller, archive());
    expect(await put(linkOf(opened).url, { body: new Uint8Array(opened.parts[0] ?? []) })).toEqual({
      status: 201,
      body: '',
    });
    const headers = {
      'x-ms-blob-type': 'BlockBlob',
      authorization: 'Bearer nonsense',
      'content-type': 'application/octet-stream',
      'x-error-format': 'problem-details',
    };
    expect((await put(linkOf(opened).url, { headers, body: new Uint8Array(opened.parts[0] ?? []) })).status).toBe(201);
  });

  test('a changed signature, expiry, part or session is 401', async () => {
    const opened = await openPackage(seller, archive(), { parts: 2 });
    const other = await openPackage(seller, archive());
    const { url } = linkOf(opened);
    const changed = [
      url.replace(/sig=(.)/, (_, c: string) => `sig=${c === 'A' ? 'B' : 'A'}`),
      url.replace(/sig=[^&]*/, ''),
      url.replace(/se=\d/, 'se=9'),
      url.replace('/1.zip.enc', '/2.zip.enc'),
      url.replace(opened.reference.toLowerCase(), other.reference.toLowerCase()),
      url.split('?')[0] as string,
      `${url}&x=1`,
    ];
    for (const bad of changed) expect(await put(bad), bad).toEqual({ status: 401, body: '' });
  });

  test('other methods are 403', async () => {
    const { url } = linkOf(await openPackage(seller, archive()));
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await put(url, { method, body: method === 'POST' ? 'x' : null });
      expect(answer, method).toEqual({ status: 403, body: '' });
    }
  });

  test('a receipt link takes no upload', async () => {
    const url = linkOf(await openPackage(seller, archive())).url.replace('batch-parts', 'session-upo');
    expect((await put(url)).status).toBe(403);
  });
});

describe('bad data', () => {
  test.each([
    ['without x-ms-blob-type', {}, 'x'],
    ['of another blob type', { 'x-ms-blob-type': 'PageBlob' }, 'x'],
    ['of a range', { 'x-ms-blob-type': 'BlockBlob', 'content-range': 'bytes 0-0/2' }, 'x'],
    ['without a byte', { 'x-ms-blob-type': 'BlockBlob' }, ''],
  ])('%s: 400', async (_, headers, body) => {
    const { url } = linkOf(await openPackage(seller, archive()));
    expect(await put(url, { headers: headers as Record<string, string>, body })).toEqual({ status: 400, body: '' });
  });

  test('chunked: 400, and the part counts as missing', async () => {
    const opened = await openPackage(seller, archive());
    const request = httpRequest(linkOf(opened).url, {
      method: 'PUT',
      headers: { 'x-ms-blob-type': 'BlockBlob', 'transfer-encoding': 'chunked' },
    });
    request.end(opened.parts[0]);
    const [response] = await once(request, 'response');
    response.resume();
    expect(response.statusCode).toBe(400);
    expect(((await closePackage(seller, opened).catch((e) => e)) as ApiError).code).toBe(21205);
  });

  test('announced longer than any part may be: 400 before a byte is read', async () => {
    const opened = await openPackage(seller, archive());
    const { hostname, port, pathname, search } = new URL(linkOf(opened).url);
    const answered = async (length: number) => {
      const socket = connect(Number(port), hostname);
      socket.write(
        `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nx-ms-blob-type: BlockBlob\r\nContent-Length: ${length}\r\n\r\n`,
      );
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      return bytes.toString('latin1').split('\r\n')[0];
    };
    expect(await answered(100_000_033)).toBe('HTTP/1.1 400 Bad Request');
  });
});

describe('time', () => {
  test('an expired link is 403; an upload that began before ends after it', async () => {
    const opened = await openPackage(seller, archive(), { parts: 2 });
    service.clock.advance(40 * 60_000 - 1_000);
    const bytes = opened.parts[0] as Buffer;
    const request = httpRequest(linkOf(opened).url, {
      method: 'PUT',
      headers: { 'x-ms-blob-type': 'BlockBlob', 'content-length': bytes.length },
    });
    request.write(bytes.subarray(0, 10));
    // The service has begun to read it when its blob is being written.
    await vi.waitFor(() => expect(blobs().filter((path) => path.endsWith('.tmp')).length).toBeGreaterThan(0));
    service.clock.advance(2_000);
    expect(await upload(opened, 2)).toBe(403);
    request.end(bytes.subarray(10));
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(201);
  });

  test('after close: 403, also for an upload that was under way', async () => {
    const opened = await openPackage(seller, archive());
    const bytes = opened.parts[0] as Buffer;
    await upload(opened, 1);
    const request = httpRequest(linkOf(opened).url, {
      method: 'PUT',
      headers: { 'x-ms-blob-type': 'BlockBlob', 'content-length': bytes.length },
    });
    request.write(randomBytes(10));
    await vi.waitFor(() => expect(blobs().filter((path) => path.endsWith('.tmp')).length).toBeGreaterThan(0));
    await closePackage(seller, opened);
    expect(await upload(opened, 1)).toBe(403);
    request.end(randomBytes(bytes.length - 10));
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(403);
    await service.drain();
    expect((await packageStatus(seller, opened)).status.code).toBe(200);
  });

  test('after twelve hours: 403, although fifty parts have links of sixteen', async () => {
    const opened = await openPackage(seller, randomBytes(50), { parts: 50 });
    service.clock.advance(12 * 3_600_000);
    expect(await upload(opened, 50)).toBe(403);
  });
});

describe('whole or not at all', () => {
  test('a connection that ends early stores nothing, and a repeated upload is good', async () => {
    const opened = await openPackage(seller, archive());
    const bytes = opened.parts[0] as Buffer;
    const before = blobs().length;
    const request = httpRequest(linkOf(opened).url, {
      method: 'PUT',
      headers: { 'x-ms-blob-type': 'BlockBlob', 'content-length': bytes.length },
    });
    request.on('error', () => undefined);
    request.write(bytes.subarray(0, bytes.length - 1));
    await vi.waitFor(() => expect(blobs().length).toBe(before + 1));
    request.destroy();
    await vi.waitFor(() => expect(blobs().length).toBe(before));
    const error = (await closePackage(seller, opened).catch((e) => e)) as ApiError;
    expect([error.code, error.details]).toEqual([21205, ["Nie przesłano zadeklarowanej '1' części pliku."]]);
    expect(await upload(opened, 1)).toBe(201);
    await closePackage(seller, opened);
    await service.drain();
    expect((await packageStatus(seller, opened)).status.code).toBe(200);
  });

  test('a later upload replaces the one before, and leaves nothing of it', async () => {
    const opened = await openPackage(seller, archive());
    const before = blobs().length;
    for (let i = 0; i < 3; i++) await upload(opened, 1, randomBytes(32));
    expect(blobs().length).toBe(before + 1);
    await uploadAll(opened);
    await closePackage(seller, opened);
    await service.drain();
    expect((await packageStatus(seller, opened)).status.code).toBe(200);
  });

  test('twenty uploads of one part at once: one of them counts, whole', async () => {
    const opened = await openPackage(seller, archive());
    const before = blobs().length;
    const statuses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => upload(opened, 1, i % 2 ? opened.parts[0] : randomBytes(100_000))),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(blobs().length).toBe(before + 1);
  });
});

describe('clean-up', () => {
  test('parts are gone when a package is processed, and when it ran out of time', async () => {
    const before = blobs().length;
    await sendPackage(service, seller, archive(), { parts: 3 });
    expect(blobs().length).toBe(before);
    const opened = await openPackage(seller, archive(), { parts: 2 });
    await uploadAll(opened);
    expect(blobs().length).toBe(before + 2);
    expect(blobs().every((path) => statSync(path).size > 0)).toBe(true);
    service.clock.advance(12 * 3_600_000);
    expect((await packageStatus(await logIn(service, SELLER), opened)).status.code).toBe(440);
    service.clock.advance(59 * 60_000);
    await service.drain();
    expect(blobs().length).toBeLessThanOrEqual(before);
  });
});

test('fifty parts at once, in any order', async () => {
  const opened = await openPackage(seller, archive(), { parts: 50 });
  expect(opened.uploads.length).toBeGreaterThanOrEqual(48);
  const shuffled = [...opened.uploads].sort((a, b) => ((a.ordinalNumber * 17) % 50) - ((b.ordinalNumber * 17) % 50));
  expect(new Set(await Promise.all(shuffled.map((u) => upload(opened, u.ordinalNumber))))).toEqual(new Set([201]));
  await closePackage(seller, opened);
  await service.drain();
  expect((await packageStatus(seller, opened)).status.code).toBe(200);
});
