import { formatTimestamp, warsawDay } from '@kwit/contract/date-time';
import type { Input } from '@kwit/contract/endpoint';
import { findForm, type InvoiceForm, isFormAccepted, type SystemCode } from '@kwit/contract/invoice-forms';
import { LIFETIMES } from '@kwit/contract/limits';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { refuse } from '@kwit/contract/refusal';
import type { openOnlineSession as endpoint } from '@kwit/contract/session-endpoints';
import { KEY_DETAIL } from '@kwit/contract/statuses';
import type { Caller } from '../platform/caller.ts';
import { sealContentKey, unwrapContentKey, unwrappingKeys } from './content-key.ts';
import type { SessionDeps } from './deps.ts';
import { readEncryption } from './encryption.ts';
import { insertSession } from './store.ts';

/** The form named by the triple, if it may be sent here, now, from this kind of context. */
export function acceptedForm(
  code: { systemCode: string; schemaVersion: string; value: string },
  caller: Caller,
  deps: Pick<SessionDeps, 'environment' | 'clock'>,
  batch: boolean,
): InvoiceForm & { systemCode: SystemCode } {
  const form = findForm(code);
  const isPeppol = caller.context.type === 'PeppolId';
  const day = warsawDay(deps.clock.now());
  if (!form || form.peppol !== isPeppol || (batch && !form.batch) || !isFormAccepted(form, deps.environment, day)) {
    throw refuse(21405, DETAIL_TEXTS.unsupportedFormCode);
  }
  return form as InvoiceForm & { systemCode: SystemCode };
}

/** The receipt version is chosen once, for the session's whole life. */
export function upoVersion(features: ReadonlySet<string>): 'v4-2' | 'v4-3' {
  return features.has('upo-v4-2') && !features.has('upo-v4-3') ? 'v4-2' : 'v4-3';
}

export async function openOnlineSession(
  deps: SessionDeps,
  caller: Caller,
  body: Input<typeof endpoint, 'body'>,
  features: ReadonlySet<string>,
): Promise<{ referenceNumber: string; validUntil: string }> {
  const form = acceptedForm(body.formCode, caller, deps, false);
  const { wrappedKey, vector, publicKeyId } = readEncryption(body);
  // A key that does not unwrap shows as 415 on the first status read; the answer stays 201.
  const contentKey = await unwrapContentKey(unwrappingKeys(deps.keys, publicKeyId), wrappedKey);
  const now = deps.clock.now();
  const reference = deps.references.next('SO');
  await insertSession(deps.database, {
    reference,
    kind: 'Online',
    caller,
    form: form.systemCode,
    upoVersion: upoVersion(features),
    contentKey: contentKey ? sealContentKey(deps.masterKey, reference, contentKey) : null,
    vector,
    status: contentKey ? 100 : 415,
    details: contentKey ? [] : [KEY_DETAIL],
    now,
    validUntil: now + LIFETIMES.session,
    offline: false,
  });
  return { referenceNumber: reference, validUntil: formatTimestamp(now + LIFETIMES.session) };
}
