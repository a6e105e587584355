import type { UpoVersion } from '@kwit/contract/enumerations';
import { type FormCode, INVOICE_FORMS, type SystemCode } from '@kwit/contract/invoice-forms';
import { NAMES } from '@kwit/contract/names';
import * as endpoints from '@kwit/contract/session-endpoints';
import type { BatchFile } from './batch/batch-file.ts';
import { type PreparedPackage, type PrepareOptions, preparePackage } from './batch/prepare-package.ts';
import { type UploadLink, type UploadOptions, uploadParts } from './batch/upload-parts.ts';
import { encryptForKey } from './encrypt-for-key.ts';
import { createPublicKeys, type PublicKeys } from './public-keys.ts';
import type { Receipt } from './receipts.ts';
import { createSessions, type SessionInvoice, type SessionStatus } from './sessions.ts';
import type { Transport } from './transport.ts';
import { OperationFailed, type WaitOptions } from './wait.ts';

export type { BatchFile } from './batch/batch-file.ts';
export { type PreparedPackage, type PrepareOptions, preparePackage } from './batch/prepare-package.ts';
export { type UploadLink, type UploadOptions, uploadParts } from './batch/upload-parts.ts';

/** How far a package is. Counts grow; `of` is what they grow to. */
export type BatchProgress =
  | { step: 'packing'; done: number; of: number }
  | { step: 'uploading'; done: number; of: number }
  /** `of` is 0 until the service has opened the package. */
  | { step: 'processing'; done: number; of: number; status: number };

export interface OpenBatchOptions {
  form?: SystemCode | FormCode;
  /** The invoices were issued offline. */
  offlineMode?: boolean;
  /** Version of the receipts, default v4-3. */
  upoVersion?: UpoVersion;
}

export interface BatchOptions
  extends OpenBatchOptions,
    Omit<PrepareOptions, 'onPacked'>,
    Omit<UploadOptions, 'onUploaded'> {
  onProgress?(progress: BatchProgress): void;
  wait?: WaitOptions;
  publicKeys?: PublicKeys;
}

export interface BatchResult {
  referenceNumber: string;
  /** The final status with its counters, whether good or not. */
  session: SessionStatus;
  /** Every file with its verdict, in the order of the package; empty when the package failed as a whole. */
  invoices: SessionInvoice[];
  /** Pages of the collective receipt. */
  receipts: (Receipt & { referenceNumber: string })[];
}

/** A package of ten thousand takes a minute on an idle service. */
const PATIENCE: WaitOptions = { timeoutMs: 30 * 60_000, firstPauseMs: 200, longestPauseMs: 3_000 };

/**
 * Sends files as one package: packs, cuts and encrypts them as a stream, uploads the parts, closes, and follows the processing to its
 * end. The transport must present an access token (`login.transport`). Does not throw when the package or invoices in it were refused.
 *
 * @example const { invoices } = await sendBatch(login.transport, [{ name: 'a.xml', read: () => readFile('a.xml') }]);
 */
export async function sendBatch(
  transport: Transport,
  files: readonly BatchFile[],
  options: BatchOptions = {},
): Promise<BatchResult> {
  const { onProgress } = options;
  const publicKeys = options.publicKeys ?? createPublicKeys(transport);
  const prepared = await preparePackage(
    files,
    { ...options, onPacked: (done, of) => onProgress?.({ step: 'packing', done, of }) },
    transport.environment,
  );
  let referenceNumber: string;
  try {
    const opened = await openBatch(transport, publicKeys, prepared, options);
    referenceNumber = opened.referenceNumber;
    await uploadParts(transport, opened.partUploadRequests, prepared.parts, {
      ...options,
      onUploaded: (done, of) => onProgress?.({ step: 'uploading', done, of }),
    });
    await closeBatch(transport, referenceNumber);
  } finally {
    await prepared.remove();
  }
  const session = await followBatch(transport, publicKeys, referenceNumber, options);
  return { referenceNumber, session, ...(await resultsOf(transport, publicKeys, referenceNumber, session)) };
}

/** Declares a prepared package and gets one upload link a part. */
export async function openBatch(
  transport: Transport,
  publicKeys: PublicKeys,
  prepared: PreparedPackage,
  options: OpenBatchOptions = {},
): Promise<{ referenceNumber: string; partUploadRequests: UploadLink[] }> {
  const { environment, name } = transport;
  const { fileSize, fileHash, compression, contentKey } = prepared;
  const fileParts = prepared.parts.map(({ path: _, ...declared }) => declared);
  return publicKeys.using('SymmetricKeyEncryption', ({ publicKey, publicKeyId }) =>
    transport.call(endpoints.openBatchSession, {
      headers: options.upoVersion ? { [NAMES[name].featureHeader]: `upo-${options.upoVersion}` } : {},
      body: {
        formCode: formCodeOf(options.form ?? 'FA (3)'),
        batchFile: { fileSize, fileHash, compressionType: compression, fileParts },
        encryption: {
          encryptedSymmetricKey: encryptForKey(publicKey, contentKey.key, environment).toString('base64'),
          initializationVector: contentKey.vector.toString('base64'),
          publicKeyId,
        },
        ...(options.offlineMode === undefined ? {} : { offlineMode: options.offlineMode }),
      },
    }),
  );
}

export async function closeBatch(transport: Transport, referenceNumber: string): Promise<void> {
  await transport.call(endpoints.closeBatchSession, { params: { referenceNumber } });
}

/** Reads the session until it is processed. A bad end is a result here, not an error: the status says what it was. */
export async function followBatch(
  transport: Transport,
  publicKeys: PublicKeys,
  referenceNumber: string,
  options: Pick<BatchOptions, 'onProgress' | 'wait'> = {},
): Promise<SessionStatus> {
  const sessions = createSessions(transport, publicKeys);
  try {
    return await sessions.waitForSession(referenceNumber, {
      ...PATIENCE,
      ...options.wait,
      onStatus(status, answer) {
        options.wait?.onStatus?.(status, answer);
        const seen = answer as SessionStatus;
        options.onProgress?.({
          step: 'processing',
          done: (seen.successfulInvoiceCount ?? 0) + (seen.failedInvoiceCount ?? 0),
          of: seen.invoiceCount ?? 0,
          status: status.code,
        });
      },
    });
  } catch (error) {
    if (error instanceof OperationFailed) return error.answer as SessionStatus;
    throw error;
  }
}

async function resultsOf(
  transport: Transport,
  publicKeys: PublicKeys,
  referenceNumber: string,
  session: SessionStatus,
): Promise<Pick<BatchResult, 'invoices' | 'receipts'>> {
  const sessions = createSessions(transport, publicKeys);
  const receipts: BatchResult['receipts'] = [];
  for (const page of session.upo?.pages ?? []) {
    receipts.push({ referenceNumber: page.referenceNumber, ...(await sessions.receipts.byLink(page.downloadUrl)) });
  }
  return { invoices: await sessions.invoices(referenceNumber, { pageSize: 1000 }).toArray(), receipts };
}

function formCodeOf(form: SystemCode | FormCode): FormCode {
  const code = typeof form === 'string' ? INVOICE_FORMS.find(({ systemCode }) => systemCode === form) : form;
  if (code === undefined) throw new Error(`There is no form ${form}`);
  const { systemCode, schemaVersion, value } = code;
  return { systemCode, schemaVersion, value };
}
