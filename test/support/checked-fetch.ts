import { neutralPath, wirePath } from '@kwit/contract/names';
import { answerChecker, type OpenApiDocument } from './answer-checker.ts';
import { target } from './target.ts';

/** Not in the document: signed links, files of the authority, and what is around the interface. */
const UNDOCUMENTED = /^\/(?:storage|pki|health|docs|metrics|openapi\.json)(?:\/|$)|^\/$/;

let checker: ReturnType<typeof answerChecker> | undefined;

export async function openApiDocument(): Promise<OpenApiDocument> {
  const response = await fetch(`${target.base}/openapi.json`);
  if (!response.ok) throw new Error(`${target.base}/openapi.json answered ${response.status}`);
  return (await response.json()) as OpenApiDocument;
}

/** `fetch` that fails when an answer of the service is not as the service's own OpenAPI document says. */
export const checkedFetch: typeof globalThis.fetch = async (input, init) => {
  const response = await fetch(input, init);
  const url = new URL(input instanceof Request ? input.url : String(input));
  if (!`${url}`.startsWith(target.base)) return response;
  const bare = url.pathname.slice(new URL(target.base).pathname.replace(/\/$/, '').length);
  const path = wirePath(target.name, neutralPath(bare.replace(/^(?:\/api)?\/v2(?=\/)/i, '')));
  if (UNDOCUMENTED.test(path)) return response;
  checker ??= answerChecker(await openApiDocument());
  const body = Buffer.from(await response.clone().arrayBuffer());
  const mediaType = (response.headers.get('content-type') ?? '').split(';')[0]!.trim();
  const problems = checker({ method: init?.method ?? 'GET', path, status: response.status, mediaType, body });
  if (problems.length > 0) throw new Error(`Not as the OpenAPI document says: ${problems.join('; ')}`);
  return response;
};
