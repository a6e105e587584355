import type { Endpoint } from '@kwit/contract/endpoint';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { METRICS_CONTENT_TYPE, type Metrics } from '../platform/metrics.ts';
import { addDocsPage } from './docs-page.ts';
import { openApi } from './openapi.ts';

export interface Readiness {
  ready: boolean;
  checks: Record<string, { ok: boolean; detail?: string }>;
}

export interface SystemRouteOptions {
  config: Config;
  version: string;
  endpoints: readonly Endpoint[];
  metrics: Metrics;
  readiness: () => Promise<Readiness>;
}

/** What is for people and machines around the interface: the API page, health, metrics. No rate limit, no token. */
export function addSystemRoutes(app: FastifyInstance, options: SystemRouteOptions): void {
  const { config, version } = options;
  const document = JSON.stringify(
    openApi({ name: config.name, environment: config.environment, version, endpoints: options.endpoints }),
  );

  app.get('/', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(
      JSON.stringify({
        status: 'OK',
        product: 'Kwit',
        version,
        environment: config.environment,
        docs: '/docs',
        openapi: '/openapi.json',
      }),
    ),
  );
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(document));
  addDocsPage(app);
  app.get('/health/live', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send('{"status":"live"}'),
  );
  app.get('/health/ready', async (_request, reply) => {
    const { ready, checks } = await options.readiness();
    return reply
      .code(ready ? 200 : 503)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify({ status: ready ? 'ready' : 'not ready', checks }));
  });
  app.get('/metrics', async (_request, reply) => reply.type(METRICS_CONTENT_TYPE).send(await options.metrics.text()));
}
