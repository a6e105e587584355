import { NAMES, type ServiceName } from '@kwit/contract/names';
import type { FastifyRequest } from 'fastify';
import { errorPage } from '../pages/error-page.ts';
import { pageOwner } from '../pages/layout.ts';
import { languageOf, prefersPage } from '../pages/preferences.ts';
import type { Binding, DocumentAnswer } from '../platform/binding.ts';
import type { ErrorAnswer } from './errors.ts';

interface Options {
  name: ServiceName;
  environment: string;
  bindings: readonly Binding[];
}

/**
 * Failures in words, for readers who asked for a page where there are pages. By the beginning of the path: an address that cannot be
 * read never reaches a route. What has no body for programs has none for people.
 */
export function createErrorPages({ name, environment, bindings }: Options) {
  const owner = pageOwner(NAMES[name].displayName, environment);
  const beginnings = new Set(
    bindings.filter(({ endpoint }) => endpoint.page).map(({ endpoint }) => endpoint.path.split('/')[1]),
  );
  return (request: FastifyRequest, answer: ErrorAnswer): DocumentAnswer | undefined => {
    if (answer.body === undefined || !beginnings.has(request.url.split(/[/?]/)[1])) return undefined;
    if (!prefersPage(request.headers.accept)) return undefined;
    const language = languageOf(request.headers['accept-language']);
    return errorPage(answer, { language, owner });
  };
}
