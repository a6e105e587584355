import type { Output } from '@kwit/contract/endpoint';
import { LIFETIMES } from '@kwit/contract/limits';
import { Refusal } from '@kwit/contract/refusal';
import type { openBatchSession as endpoint } from '@kwit/contract/session-endpoints';
import type { Caller } from '../../platform/caller.ts';
import { sealContentKey, unwrapContentKey, unwrappingKeys } from '../content-key.ts';
import { readEncryption } from '../encryption.ts';
import { acceptedForm, upoVersion } from '../open-online-session.ts';
import { storagePath } from '../present.ts';
import { insertSession } from '../store.ts';
import { type BatchDeps, PART_CLEANUP } from './deps.ts';
import { collectProblems, compressionOf, maxEncryptedPart, type OpenBody, packageProblems, partFile } from './rules.ts';
import { insertParts } from './store.ts';

/** Requests under way when the session ran out are over by then. */
const CLEANUP_GRACE_MS = 10 * 60_000;

/** Opens a session for a package: checks everything that was declared and hands out one upload link a part. */
export async function openBatchSession(
  deps: BatchDeps,
  caller: Caller,
  body: OpenBody,
  features: ReadonlySet<string>,
  baseUrl: string,
): Promise<Output<typeof endpoint>> {
  const problems = collectProblems();
  const form = problems.attempt(() => acceptedForm(body.formCode, caller, deps, true));
  const encryption = problems.attempt(() => readEncryption(body));
  const candidates = encryption && problems.attempt(() => unwrappingKeys(deps.keys, encryption.publicKeyId));
  problems.add(packageProblems(body, maxEncryptedPart(deps.maxPartBytes, encryption?.vector !== null)));
  if (!form || !encryption || !candidates || problems.all().length > 0) throw new Refusal(problems.all());

  // A key that does not unwrap is noticed when the package is processed.
  const contentKey = await unwrapContentKey(candidates, encryption.wrappedKey);
  const { fileSize, fileHash, fileParts } = body.batchFile;
  const compression = compressionOf(body);
  const now = deps.clock.now();
  const reference = deps.references.next('SB');
  const validUntil = now + LIFETIMES.session;
  await deps.database.transaction(async (tx) => {
    await insertSession(tx, {
      reference,
      kind: 'Batch',
      caller,
      form: form.systemCode,
      upoVersion: upoVersion(features),
      contentKey: contentKey ? sealContentKey(deps.masterKey, reference, contentKey) : null,
      vector: encryption.vector,
      status: 100,
      details: [],
      now,
      validUntil,
      offline: body.offlineMode ?? false,
      package: { fileSize, fileHash, compression },
    });
    await insertParts(
      tx,
      reference,
      fileParts.map((p) => ({ ordinal: p.ordinalNumber, size: p.fileSize, hash: Buffer.from(p.fileHash, 'base64') })),
    );
    await deps.jobs.add(tx, [
      { queue: PART_CLEANUP, payload: { session: reference }, runAt: validUntil + CLEANUP_GRACE_MS },
    ]);
  });

  const expiresAt = now + fileParts.length * LIFETIMES.uploadLinkPerPart;
  const partUploadRequests = fileParts.map(({ ordinalNumber }) => {
    const path = storagePath(reference, `batch-parts/${partFile(ordinalNumber, compression)}`);
    return {
      ordinalNumber,
      method: 'PUT' as const,
      url: `${baseUrl}${path}?${deps.links.sign({ method: 'PUT', path, expiresAt })}`,
      headers: { 'x-ms-blob-type': 'BlockBlob' },
    };
  });
  return { referenceNumber: reference, partUploadRequests };
}
