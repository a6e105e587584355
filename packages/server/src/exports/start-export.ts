import type { Input } from '@kwit/contract/endpoint';
import { EXPORT_LIMITS } from '@kwit/contract/limits';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { detail, Refusal, refuse } from '@kwit/contract/refusal';
import type { startExport as endpoint } from '@kwit/contract/retrieval-endpoints';
import { KEY_DETAIL } from '@kwit/contract/statuses';
import { readRange, upperEnd } from '../invoices/date-range.ts';
import { checkFilters } from '../invoices/filters.ts';
import { markTicks, presentMoment } from '../invoices/mark.ts';
import { visibleAs } from '../invoices/visibility.ts';
import type { Caller } from '../platform/caller.ts';
import { sealContentKey, unwrapContentKey, unwrappingKeys } from '../sessions/content-key.ts';
import type { ExportDeps } from './deps.ts';
import { EXPORT_QUEUE } from './model.ts';
import { countRunning, insertExport } from './store.ts';

/** Accepts an export: fixes what it covers and leaves the rest to a job. */
export async function startExport(
  deps: ExportDeps,
  caller: Caller,
  body: Input<typeof endpoint, 'body'>,
): Promise<{ referenceNumber: string }> {
  const { filters, encryption } = body;
  const failures: string[] = [];
  const range = readRange(filters.dateRange, await presentMoment(deps, filters.dateRange), failures);
  checkFilters(filters, failures);
  const vector = Buffer.from(encryption.initializationVector, 'base64');
  if (vector.length !== 16) failures.push(DETAIL_TEXTS.ivLength.replace('{n}', String(vector.length)));
  if (failures.length > 0) {
    throw new Refusal([{ code: 21405, details: failures.map((text) => detail('{0}', { 0: text })) }]);
  }
  const candidates = unwrappingKeys(deps.keys, encryption.publicKeyId ?? body.publicKeyId);
  const { context, subject } = caller;
  if (!visibleAs(filters.subjectType, context)) {
    throw refuse(
      21181,
      detail(DETAIL_TEXTS.exportSubjectType, { subjectType: filters.subjectType, type: context.type }),
    );
  }
  const key = await unwrapContentKey(candidates, Buffer.from(encryption.encryptedSymmetricKey, 'base64'));
  const markUs = await deps.sequencer.mark();
  const mark = markTicks(markUs);
  const aboveMark = range.restricted && range.from > mark;
  const now = deps.clock.now();
  const reference = deps.references.next('EH');
  const status = !key ? 415 : aboveMark ? 420 : 100;

  await deps.database.transaction(async (tx) => {
    if ((await countRunning(tx, context, subject)) >= EXPORT_LIMITS.maxRunning) {
      throw refuse(21182, detail(DETAIL_TEXTS.exportLimit, { count: EXPORT_LIMITS.maxRunning }));
    }
    await insertExport(tx, {
      reference,
      context,
      subject,
      filters,
      upper: upperEnd(range, mark),
      markUs,
      onlyMetadata: body.onlyMetadata ?? false,
      compression: body.compressionType ?? body.compression ?? 'Zip',
      contentKey: key ? sealContentKey(deps.masterKey, reference, key) : null,
      vector,
      status,
      details: !key ? [KEY_DETAIL] : aboveMark ? [DETAIL_TEXTS.rangeAboveHwm] : [],
      acceptedAt: now,
      completedAt: status === 100 ? null : now,
      expiresAt: null,
      package: null,
    });
    if (status === 100) await deps.jobs.add(tx, [{ queue: EXPORT_QUEUE, payload: { reference }, key: reference }]);
  });
  return { referenceNumber: reference };
}
