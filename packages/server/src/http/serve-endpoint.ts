import { type ServiceName, toWire } from '@kwit/contract/names';
import { createReader, type Reading } from '@kwit/contract/read';
import { detail, Refusal } from '@kwit/contract/refusal';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Binding, Call, DocumentAnswer, EmptyAnswer } from '../platform/binding.ts';
import type { Bearer } from '../platform/caller.ts';
import { baseUrlOf, type UrlSettings } from './addresses.ts';
import { checkDocumentType, readJsonBody } from './body.ts';
import { formatWarning } from './warnings.ts';

/** What the frame knows of a request beside what Fastify does. */
export interface RequestState {
  bearer: Bearer | undefined;
  warnings: string[];
  clientIp: string;
  prefix: string;
}

type Handler = (request: FastifyRequest, reply: FastifyReply, state: RequestState) => Promise<unknown>;

type AnyCall = Call<Binding['endpoint']>;

/** Makes the handler of one endpoint: read everything in one pass, run the operation, write the answer in the configured name. */
export function serveEndpoint(binding: Binding, name: ServiceName, urls: UrlSettings): Handler {
  const { endpoint } = binding;
  const readParams = endpoint.params && createReader(endpoint.params, 'text');
  const readQuery = endpoint.query && createReader(endpoint.query, 'text');
  const readBody = endpoint.body && createReader(endpoint.body, 'json');

  return async (request, reply, state) => {
    const failures: string[] = [];
    const take = (reading: Reading<unknown> | undefined) => {
      if (reading) failures.push(...reading.failures);
      return reading?.value;
    };
    const bytes = Buffer.isBuffer(request.body) ? request.body : NOTHING;
    const contentType = request.headers['content-type'];
    if (endpoint.rawBody) checkDocumentType(contentType, endpoint.rawBody);
    const json = readBody && readJsonBody(endpoint, contentType, bytes);
    const params = take(readParams?.(request.params));
    const query = take(readQuery?.(request.query));
    const body = take(readBody?.(json));
    if (failures.length > 0) {
      throw new Refusal([{ code: 21405, details: failures.map((text) => detail('{0}', { 0: text })) }]);
    }

    const call = {
      params,
      query,
      body,
      raw: bytes,
      stream: endpoint.streamedBody ? request.raw : undefined,
      url: splitUrl(request.url),
      bearer: state.bearer,
      clientIp: state.clientIp,
      baseUrl: baseUrlOf(request, state.prefix, urls),
      features: featuresOf(request),
      continuationToken: headerOf(request, 'x-continuation-token') || undefined,
      warn: (code: string, message: string) => state.warnings.push(formatWarning(code, message)),
      header: (header: string) => headerOf(request, header),
    } as unknown as AnyCall;

    const answer = await binding.handle(call);
    if (isEmpty(answer)) return reply.code(answer.emptyStatus).header('content-length', '0').send();
    reply.code(endpoint.status);
    if ((endpoint.document || endpoint.page) && isDocument(answer)) {
      return reply
        .code(answer.status ?? endpoint.status)
        .headers(answer.headers ?? {})
        .type(answer.contentType)
        .send(answer.bytes);
    }
    if (answer === undefined) return reply.header('content-length', '0').send();
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(toWire(name, answer)));
  };
}

const NOTHING = Buffer.alloc(0);

function splitUrl(url: string): { path: string; query: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

function isEmpty(answer: unknown): answer is EmptyAnswer {
  return typeof answer === 'object' && answer !== null && 'emptyStatus' in answer;
}

function isDocument(answer: unknown): answer is DocumentAnswer {
  return typeof answer === 'object' && answer !== null && 'bytes' in answer && 'contentType' in answer;
}

export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(',') : value;
}

/** Both spellings of the feature header, several values by comma or repetition. */
function featuresOf(request: FastifyRequest): ReadonlySet<string> {
  const values = [headerOf(request, 'x-svc-feature'), headerOf(request, 'x-ksef-feature')].join(',');
  return new Set(
    values
      .split(',')
      .map((v) => v.trim().toLowerCase())
      .filter((v) => v !== ''),
  );
}
