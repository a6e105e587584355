import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

/** The API page: three static files, no script from elsewhere and none inside the page. */
const FILES = [
  ['/docs', 'page.html', 'text/html; charset=utf-8'],
  ['/docs/page.css', 'page.css', 'text/css; charset=utf-8'],
  ['/docs/page.js', 'page.js', 'text/javascript; charset=utf-8'],
] as const;

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export function addDocsPage(app: FastifyInstance): void {
  for (const [path, file, type] of FILES) {
    const bytes = readFileSync(new URL(`docs/${file}`, import.meta.url));
    app.get(path, async (_request, reply) => reply.headers(HEADERS).type(type).send(bytes));
  }
}
