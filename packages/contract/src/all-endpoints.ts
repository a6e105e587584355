import * as auth from './auth-endpoints.ts';
import * as certificates from './certificate-endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import * as limits from './limit-endpoints.ts';
import * as links from './link-endpoints.ts';
import * as permissions from './permission-endpoints.ts';
import * as permissionQueries from './permission-query-endpoints.ts';
import * as retrieval from './retrieval-endpoints.ts';
import * as sessions from './session-endpoints.ts';
import * as testData from './testdata-endpoints.ts';
import * as verification from './verification-endpoints.ts';

/** Every module that declares endpoints, in the order of the interface. A new capability adds its module here. */
const modules: readonly Readonly<Record<string, unknown>>[] = [
  auth,
  sessions,
  links,
  retrieval,
  permissions,
  permissionQueries,
  certificates,
  verification,
  limits,
  testData,
];

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'id' in value && 'path' in value && 'rateGroup' in value;
}

/** All endpoints of the interface, each once, whatever else their modules export. */
export const allEndpoints: readonly Endpoint[] = [
  ...new Set(modules.flatMap((module) => Object.values(module).filter(isEndpoint))),
];
