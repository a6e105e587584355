import type { Output } from '@kwit/contract/endpoint';
import type { CompressionType } from '@kwit/contract/enumerations';
import { readExport, startExport as startEndpoint } from '@kwit/contract/retrieval-endpoints';
import { type ContentKey, newContentKey } from '../content-cipher.ts';
import { encryptForKey } from '../encrypt-for-key.ts';
import type { PublicKeys } from '../public-keys.ts';
import type { Transport } from '../transport.ts';
import { type WaitOptions, waitFor } from '../wait.ts';
import type { InvoiceFilters } from './list-metadata.ts';

export type ExportStatus = Output<typeof readExport>;
export type ExportPackage = NonNullable<ExportStatus['package']>;

export interface ExportOptions {
  /** No documents, only what they are. */
  onlyMetadata?: boolean;
  /** Default Zip. */
  compression?: CompressionType;
}

/** An export under way, with the key that opens its package: whoever wants to go on later keeps both. */
export interface StartedExport extends ContentKey {
  referenceNumber: string;
}

/** Starts an export, encrypted with a key of its own. */
export async function startExport(
  transport: Transport,
  publicKeys: PublicKeys,
  filters: InvoiceFilters,
  options: ExportOptions = {},
): Promise<StartedExport> {
  const { environment } = transport;
  const contentKey = newContentKey(environment);
  const { referenceNumber } = await publicKeys.using('SymmetricKeyEncryption', ({ publicKey, publicKeyId }) =>
    transport.call(startEndpoint, {
      body: {
        filters,
        onlyMetadata: options.onlyMetadata ?? false,
        compressionType: options.compression ?? 'Zip',
        encryption: {
          encryptedSymmetricKey: encryptForKey(publicKey, contentKey.key, environment).toString('base64'),
          initializationVector: contentKey.vector.toString('base64'),
          publicKeyId,
        },
      },
    }),
  );
  return { referenceNumber, ...contentKey };
}

/** A package of ten thousand takes some seconds, behind others it takes longer. */
const PATIENCE: WaitOptions = { timeoutMs: 30 * 60_000, firstPauseMs: 200 };

/** Until the package is ready; throws `OperationFailed` when it will not be. */
export async function waitForExport(
  transport: Transport,
  referenceNumber: string,
  options: WaitOptions = {},
): Promise<ExportPackage> {
  const status = await waitFor<ExportStatus>(
    transport.environment,
    {
      operation: 'export',
      referenceNumber,
      read: () => transport.call(readExport, { params: { referenceNumber } }),
      statusOf: (answer) => answer.status,
    },
    { ...PATIENCE, ...options },
  );
  if (!status.package) throw new Error(`The export ${referenceNumber} succeeded without a package.`);
  return status.package;
}
