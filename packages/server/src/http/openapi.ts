import type { Endpoint } from '@kwit/contract/endpoint';
import { errorEntry } from '@kwit/contract/errors';
import { NAMES, type ServiceName, wirePath, wireSchema } from '@kwit/contract/names';
import {
  BadRequestProblemDetails,
  ExceptionResponse,
  ForbiddenProblemDetails,
  GoneProblemDetails,
  TooManyRequestsProblemDetails,
  TooManyRequestsResponse,
  UnauthorizedProblemDetails,
} from '@kwit/contract/schemas';

export interface OpenApiOptions {
  name: ServiceName;
  environment: string;
  version: string;
  endpoints: readonly Endpoint[];
}

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document, made from the same schemas that read the requests. */
export function openApi(options: OpenApiOptions): Json {
  const { name } = options;
  const paths: Record<string, Json> = {};
  for (const endpoint of options.endpoints) {
    if (endpoint.hidden || (endpoint.testOnly && options.environment !== 'TEST')) continue;
    const path = wirePath(name, endpoint.path).replace(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, name) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `Kwit: electronic invoicing service (${NAMES[name].displayName})`,
      version: options.version,
      description: `Environment ${options.environment}. Every path also answers under /v2 and /api/v2. Interface version 2.0, release 2.6.1.`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(options.endpoints.map((e) => e.tag))].map((tag) => ({ name: tag })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: Object.fromEntries(
        Object.entries(ERROR_SCHEMAS).map(([key, schema]) => [key, wireSchema('svc', schema)]),
      ),
      parameters: {
        ErrorFormat: {
          name: 'X-Error-Format',
          in: 'header',
          required: false,
          schema: { type: 'string', enum: ['problem-details'] },
          description: 'Error bodies as problem details',
        },
      },
    },
  };
}

const ERROR_SCHEMAS = {
  ExceptionResponse,
  BadRequestProblemDetails,
  UnauthorizedProblemDetails,
  ForbiddenProblemDetails,
  GoneProblemDetails,
  TooManyRequestsResponse,
  TooManyRequestsProblemDetails,
};

function operation(endpoint: Endpoint, name: ServiceName): Json {
  const parameters = [
    ...parametersOf(endpoint.params, 'path', name),
    ...parametersOf(endpoint.query, 'query', name),
    ...(endpoint.continued ? [header('x-continuation-token', 'Token of the previous page')] : []),
    { $ref: '#/components/parameters/ErrorFormat' },
  ];
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: describe(endpoint),
    ...(endpoint.credential === 'none'
      ? { security: [] }
      : { security: [{ bearer: [] }, ...(endpoint.credential === 'optionalAccess' ? [{}] : [])] }),
    parameters,
    ...requestBody(endpoint, name),
    responses: withPages(endpoint, { [endpoint.status]: success(endpoint, name), ...failures(endpoint, name) }),
  };
}

function describe(endpoint: Endpoint): string {
  const lines = [
    endpoint.anyOf.length > 0 ? `Needs one of: ${endpoint.anyOf.join(', ')}.` : '',
    endpoint.signatureLoginOnly ? 'Not open to logins by system token.' : '',
    endpoint.codes.length > 0 ? `Codes: ${endpoint.codes.map((c) => `${c} ${errorEntry(c).text}`).join(' ')}` : '',
  ];
  return lines.filter((line) => line !== '').join(' ');
}

interface ObjectSchema {
  properties?: Record<string, Json>;
  required?: string[];
}

function parametersOf(schema: unknown, place: 'path' | 'query', name: ServiceName): Json[] {
  const { properties = {}, required = [] } = (schema ? wireSchema(name, schema) : {}) as ObjectSchema;
  return Object.entries(properties).map(([key, property]) => ({
    name: key,
    in: place,
    required: place === 'path' || required.includes(key),
    schema: property,
  }));
}

function header(name: string, description: string): Json {
  return { name, in: 'header', required: false, schema: { type: 'string' }, description };
}

function requestBody(endpoint: Endpoint, name: ServiceName): Json {
  if (endpoint.rawBody)
    return { requestBody: { required: true, content: { [endpoint.rawBody]: { schema: { type: 'string' } } } } };
  if (!endpoint.body) return {};
  const schema = wireSchema(name, endpoint.body);
  return { requestBody: { required: !endpoint.bodyOptional, content: { 'application/json': { schema } } } };
}

function success(endpoint: Endpoint, name: ServiceName): Json {
  const headers = { 'Trace-Id': { schema: { type: 'string' } }, 'X-System-Warning': { schema: { type: 'string' } } };
  if (endpoint.answer) {
    return {
      description: 'Success',
      headers,
      content: { 'application/json': { schema: wireSchema(name, endpoint.answer) } },
    };
  }
  if (endpoint.document) {
    const hash = { 'x-ms-meta-hash': { schema: { type: 'string' } } };
    return {
      description: 'The document',
      headers: { ...headers, ...hash },
      content: { [endpoint.document]: { schema: { type: 'string' } } },
    };
  }
  return { description: 'Success, no body', headers };
}

function failure(description: string, standard: string, problem: string): Json {
  const schema = (key: string) => ({ schema: { $ref: `#/components/schemas/${key}` } });
  return {
    description,
    content: { 'application/json': schema(standard), 'application/problem+json': schema(problem) },
  };
}

/** Every endpoint can refuse: a path that is not percent-encoded as it should be is 21405 wherever it leads. */
function refused(endpoint: Endpoint, name: ServiceName): Json {
  const answer = failure('Refused', 'ExceptionResponse', 'BadRequestProblemDetails');
  if (!endpoint.badRequest) return answer;
  const anyOf = [wireSchema(name, endpoint.badRequest), { $ref: '#/components/schemas/ExceptionResponse' }];
  return { ...answer, content: { ...(answer.content as Json), 'application/json': { schema: { anyOf } } } };
}

/** Where there are pages for people, every answer with a body can be one. */
function withPages(endpoint: Endpoint, responses: Json): Json {
  if (!endpoint.page) return responses;
  const page = { 'text/html': { schema: { type: 'string' } } };
  return Object.fromEntries(
    Object.entries(responses as Record<string, Json>).map(([status, response]) => [
      status,
      response.content ? { ...response, content: { ...response.content, ...page } } : response,
    ]),
  );
}

function failures(endpoint: Endpoint, name: ServiceName): Json {
  const secured = endpoint.credential !== 'none';
  return {
    400: refused(endpoint, name),
    ...(secured ? { 401: failure('No valid token', 'UnauthorizedProblemDetails', 'UnauthorizedProblemDetails') } : {}),
    ...(secured || endpoint.forbids
      ? { 403: failure('Not allowed', 'ForbiddenProblemDetails', 'ForbiddenProblemDetails') }
      : {}),
    ...(endpoint.gone ? { 410: failure('Retention is over', 'GoneProblemDetails', 'GoneProblemDetails') } : {}),
    ...(endpoint.body || endpoint.rawBody
      ? { 413: { description: 'Body too large' }, 415: { description: 'Wrong media type' } }
      : {}),
    429: failure('Too many requests', 'TooManyRequestsResponse', 'TooManyRequestsProblemDetails'),
  };
}
