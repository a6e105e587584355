import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = Record<string, unknown>;

interface Documented {
  description: string;
  content?: Record<string, { schema: Json }>;
}

export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, Documented> }>>;
  components: { schemas: Json };
}

export interface Answer {
  method: string;
  /** In the spelling of the document, without a prefix. */
  path: string;
  status: number;
  mediaType: string;
  body: Buffer;
}

/** Any route may answer these, without a body, whether its description says so or not. */
const OF_THE_FRAME = [404, 405, 406, 413, 415];

const SCHEMAS = 'https://document.invalid/';

/** References into the document as the validator knows them. */
function withKnownReferences(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', SCHEMAS));
}

/** Reads answers of a service against its own OpenAPI document; gives a sentence for every disagreement. */
export function answerChecker(document: OpenApiDocument): (answer: Answer) => string[] {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv, ['date-time', 'date', 'uri']);
  ajv.addFormat('base64', /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
  for (const [key, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(withKnownReferences(schema), `${SCHEMAS}${key}`);
  }
  const templates = Object.entries(document.paths)
    .map(([template, operations]) => ({
      pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
      variables: template.split('{').length,
      operations,
    }))
    // A fixed segment wins over a parameter.
    .sort((a, b) => a.variables - b.variables);
  const validators = new Map<Json, ValidateFunction>();

  function disagreements(schema: Json, body: Buffer): string[] {
    let value: unknown;
    try {
      value = JSON.parse(body.toString('utf8'));
    } catch {
      return ['the body is no JSON'];
    }
    let validate = validators.get(schema);
    if (!validate) {
      validate = ajv.compile(withKnownReferences(schema));
      validators.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      [instancePath || 'the body', message, JSON.stringify(params)].join(' '),
    );
  }

  function judge({ method, path, status, mediaType, body }: Answer): string[] {
    const found = templates.find(({ pattern, operations }) => pattern.test(path) && operations[method.toLowerCase()]);
    const documented = found?.operations[method.toLowerCase()]?.responses[String(status)];
    if (!documented) {
      if (!OF_THE_FRAME.includes(status)) return ['the document does not name this status'];
      return body.length === 0 ? [] : ['it has a body'];
    }
    if (!documented.content) return body.length === 0 ? [] : ['it has a body which the document does not name'];
    const content = documented.content[mediaType];
    if (!content) return [`its media type is '${mediaType}', not ${Object.keys(documented.content).join(' or ')}`];
    return mediaType.endsWith('json') ? disagreements(content.schema, body) : [];
  }

  return (answer) => judge(answer).map((why) => `${answer.method} ${answer.path} answered ${answer.status}: ${why}`);
}
