import type { Endpoint, Output } from '@kwit/contract/endpoint';
import type { Call } from '../platform/binding.ts';
import type { Caller, ContextIdentifier, SubjectIdentifier } from '../platform/caller.ts';
import { ManualClock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { silentLog } from '../platform/log-sink.ts';
import { createLimits, type Limits } from './create-limits.ts';
import type { LimitSettings } from './deps.ts';

export const START = '2026-03-02T09:00:00Z';

/** The capability as one node of the service runs it. */
export interface TestNode extends Limits {
  clock: ManualClock;
  call<E extends Endpoint>(endpoint: E, caller: Caller, body?: unknown): Promise<Output<E>>;
}

interface NodeOptions {
  environment?: 'TEST' | 'DEMO' | 'PRD';
  clock?: ManualClock;
  settings?: Partial<LimitSettings>;
}

export function testNode(database: Database, options: NodeOptions = {}): TestNode {
  const { environment = 'TEST', clock = new ManualClock(START), settings = {} } = options;
  const limits = createLimits({ database, clock, log: silentLog, environment, settings });
  return {
    ...limits,
    clock,
    async call(endpoint, caller, body) {
      const binding = limits.bindings.find((b) => b.endpoint.id === endpoint.id);
      if (!binding) throw new Error(`${endpoint.id} is not bound`);
      return (await binding.handle({ bearer: caller, body } as unknown as Call<Endpoint>)) as never;
    },
  };
}

let contexts = 0;

/** A context that no other test uses. */
export function freshContext(): ContextIdentifier {
  contexts += 1;
  return { type: 'Nip', value: String(5_260_000_000 + contexts) };
}

export function callerIn(
  context: ContextIdentifier,
  subject: SubjectIdentifier = { type: 'Nip', value: context.value },
): Caller {
  return {
    kind: 'ContextToken',
    operation: 'operation',
    context,
    subject,
    method: 'QualifiedSeal',
    permissions: ['Owner'],
  };
}
