import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export type Json = Record<string, unknown>;

/** As much of an OpenAPI document as the checks need. */
export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Json; parameters: Json; securitySchemes: Json };
  tags: { name: string }[];
}

export interface Operation {
  operationId: string;
  tags: string[];
  security: Json[];
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; headers?: Json; content?: Record<string, { schema: Json }> }>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Json;
}

export interface Answer {
  status: number;
  contentType: string | undefined;
  body: Buffer | string;
}

/** Looks at answers of a service with the eyes of its own OpenAPI document. */
export interface AnswerChecker {
  operationAt(method: string, path: string): { template: string; operation: Operation } | undefined;
  /** What is wrong with an answer, in sentences; nothing when it is as the document says. */
  problems(method: string, path: string, answer: Answer): string[];
}

/** The frame gives these to any route, without a body; the document need not say so at each. */
const FRAME_STATUSES = new Set([404, 405, 406, 413, 415]);

/** JSON Schema 2020-12 as another implementation understands it than the one that made the schemas. */
export function schemaJudge(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true, allowUnionTypes: true });
  addFormats.default(ajv, ['date-time', 'date', 'uri']);
  ajv.addFormat('base64', /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);
  return ajv;
}

export function answerChecker(document: OpenApiDocument): AnswerChecker {
  const ajv = schemaJudge();
  for (const [key, schema] of Object.entries(document.components.schemas)) {
    ajv.addSchema(absolute(schema), `${NAMED}${key}`);
  }
  const routes = Object.entries(document.paths).map(([template, operations]) => ({
    template,
    operations,
    pattern: new RegExp(
      `^(?:(?:/[aA][pP][iI])?/[vV]2)?${template.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]*')}/?$`,
    ),
    // Fixed segments win over parameters, as in the router.
    parameters: template.split('{').length,
  }));
  routes.sort((a, b) => a.parameters - b.parameters);
  const compiled = new Map<Json, ValidateFunction>();

  function validate(schema: Json, value: unknown): string[] {
    let validator = compiled.get(schema);
    if (validator === undefined) {
      validator = ajv.compile(absolute(schema));
      compiled.set(schema, validator);
    }
    if (validator(value)) return [];
    return (validator.errors ?? []).map(
      (e) => `${e.instancePath || 'the body'} ${e.message} ${JSON.stringify(e.params)}`,
    );
  }

  function operationAt(method: string, path: string) {
    const plain = path.split('?')[0] ?? '';
    const route = routes.find((r) => r.pattern.test(plain) && r.operations[method.toLowerCase()]);
    const operation = route?.operations[method.toLowerCase()];
    return route && operation && { template: route.template, operation };
  }

  return {
    operationAt,
    problems(method, path, answer) {
      const found = operationAt(method, path);
      const where = `${method} ${path} answered ${answer.status}`;
      const isEmpty = answer.body.length === 0;
      const documented = found?.operation.responses[String(answer.status)];
      if (documented === undefined) {
        if (!FRAME_STATUSES.has(answer.status)) return [`${where}, which the document does not name`];
        return isEmpty ? [] : [`${where} with a body`];
      }
      if (documented.content === undefined) return isEmpty ? [] : [`${where} with a body the document does not name`];
      const media = (answer.contentType ?? '').split(';')[0]?.trim() ?? '';
      const content = documented.content[media];
      if (content === undefined)
        return [`${where} as ${media || 'nothing'}, documented: ${Object.keys(documented.content)}`];
      if (!media.endsWith('json')) return [];
      return validate(content.schema, JSON.parse(answer.body.toString())).map((problem) => `${where}: ${problem}`);
    },
  };
}

const NAMED = 'https://openapi.invalid/';

/** References into the document, made to point to the schemas as the validator knows them. */
function absolute(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === '$ref' && typeof value === 'string' ? value.replace('#/components/schemas/', NAMED) : value,
  );
}
