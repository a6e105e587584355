// A real S3-speaking server (npm package s3rver) for tests, with a record of the requests it got.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface S3rver {
  configureBuckets(): Promise<unknown>;
  callback(): RequestListener;
}
type S3rverClass = new (options: {
  directory: string;
  silent: boolean;
  configureBuckets: { name: string }[];
}) => S3rver;

export interface S3Server {
  endpoint: string;
  bucket: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
  /** `METHOD path?query` of every request. */
  requests: string[];
  /** Answers with an error (400, which the client does not repeat) to requests for which this says so. */
  failWhen(decide: (request: string) => boolean): void;
  close(): Promise<void>;
}

export async function startS3Server(): Promise<S3Server> {
  const S3rver = createRequire(import.meta.url)('s3rver') as S3rverClass;
  const directory = mkdtempSync(join(tmpdir(), 'kwit-s3-'));
  const bucket = 'kwit-test';
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: bucket }] });
  await s3.configureBuckets();
  const answer = s3.callback();
  const requests: string[] = [];
  let fails = (_request: string) => false;
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    requests.push(line);
    if (!fails(line)) return answer(request, response);
    request.resume();
    response.writeHead(400, { 'content-type': 'application/xml' });
    response.end('<?xml version="1.0"?><Error><Code>Broken</Code><Message>on purpose</Message></Error>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    requests,
    failWhen(decide) {
      fails = decide;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
