import { SERVICE_NAMES, type ServiceName } from '@kwit/contract/names';

/** The service under test: given from outside, never started or looked into here. */
export interface Target {
  base: string;
  name: ServiceName;
  /** Whether its request limits are on. */
  limiter: boolean;
}

function read(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is missing; the tests of this folder are started by npm run acceptance`);
  return value;
}

export const target: Target = {
  base: read('KWIT_ACCEPTANCE_BASE').replace(/\/+$/, ''),
  name: SERVICE_NAMES.find((name) => name === process.env.KWIT_ACCEPTANCE_NAME) ?? 'svc',
  limiter: process.env.KWIT_ACCEPTANCE_LIMITER !== 'off',
};
