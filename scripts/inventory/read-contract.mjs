// The interface as data, from the contract itself.
import { allEndpoints } from '../../packages/contract/src/all-endpoints.ts';
import * as auth from '../../packages/contract/src/auth-endpoints.ts';
import * as certificates from '../../packages/contract/src/certificate-endpoints.ts';
import { ERRORS } from '../../packages/contract/src/errors.ts';
import * as limitEndpoints from '../../packages/contract/src/limit-endpoints.ts';
import * as limits from '../../packages/contract/src/limits.ts';
import * as permissions from '../../packages/contract/src/permission-endpoints.ts';
import * as permissionQueries from '../../packages/contract/src/permission-query-endpoints.ts';
import * as retrieval from '../../packages/contract/src/retrieval-endpoints.ts';
import * as sessions from '../../packages/contract/src/session-endpoints.ts';
import * as statuses from '../../packages/contract/src/statuses.ts';
import * as testData from '../../packages/contract/src/testdata-endpoints.ts';
import * as verification from '../../packages/contract/src/verification-endpoints.ts';

const MODULES = [
  auth,
  sessions,
  retrieval,
  permissions,
  permissionQueries,
  certificates,
  verification,
  limitEndpoints,
  testData,
];

/** Names under which tests import them. */
const exportNames = new Map(MODULES.flatMap((module) => Object.entries(module).map(([name, value]) => [value, name])));

const KINDS = {
  'Authentication operation': statuses.AUTHENTICATION_STATUS,
  Export: statuses.EXPORT_STATUS,
  'Certificate enrollment': statuses.ENROLLMENT_STATUS,
  'Permission operation': statuses.PERMISSION_OPERATION_STATUS,
  'Interactive session': statuses.INTERACTIVE_SESSION_STATUS,
  'Batch session': statuses.BATCH_SESSION_STATUS,
  'Invoice of a session': statuses.INVOICE_STATUS,
};

export function readContract() {
  return {
    endpoints: allEndpoints.map((endpoint) => ({ ...endpoint, exportName: exportNames.get(endpoint) ?? endpoint.id })),
    errors: ERRORS,
    statuses: KINDS,
    limits: limitValues(),
  };
}

/** Not limits themselves: lists of names, and a unit that is derived. */
const NO_LIMITS = new Set(['RATE_GROUPS', 'PUBLIC_RATE_GROUP', 'NIGHT_RATE_GROUPS']);
/** Shown as one row: their values belong together. */
const WHOLE = /^(?:RATE_LIMITS|CERTIFICATE_LIMITS)\.\w+$|^(?:NIGHT_HOURS|RATE_BLOCK_GROWTH)$/;

function limitValues() {
  const found = {};
  const walk = (path, value) => {
    if (typeof value === 'number') found[path] = numberText(path, value);
    else if (WHOLE.test(path))
      found[path] = Object.entries(value)
        .map(([key, item]) => `${key} ${item}`)
        .join(', ');
    else for (const [key, item] of Object.entries(value)) walk(`${path}.${key}`, item);
  };
  for (const [name, value] of Object.entries(limits)) if (!NO_LIMITS.has(name)) walk(name, value);
  return found;
}

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1000],
];

function numberText(path, value) {
  if (!/^(?:LIFETIMES|STATUS_RETENTION)\./.test(path)) return String(value);
  const [unit, size] = UNITS.find(([, milliseconds]) => value % milliseconds === 0) ?? ['milliseconds', 1];
  return `${value / size} ${unit}`;
}
