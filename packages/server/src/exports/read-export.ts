import { formatTimestamp } from '@kwit/contract/date-time';
import type { Output } from '@kwit/contract/endpoint';
import { LIFETIMES, STATUS_RETENTION } from '@kwit/contract/limits';
import { Gone, refuse } from '@kwit/contract/refusal';
import type { readExport as endpoint } from '@kwit/contract/retrieval-endpoints';
import { EXPORT_STATUS, statusInfo } from '@kwit/contract/statuses';
import type { Caller } from '../platform/caller.ts';
import type { ExportDeps } from './deps.ts';
import type { Export, ExportPart } from './model.ts';
import { findExport, listParts } from './store.ts';

/** Status of an export of the caller's context, with links made anew at every read. */
export async function readExport(
  deps: ExportDeps,
  caller: Caller,
  reference: string,
  baseUrl: string,
): Promise<Output<typeof endpoint>> {
  const found = await findExport(deps.database, reference);
  if (found?.context.type !== caller.context.type || found.context.value !== caller.context.value) throw refuse(21175);
  const now = deps.clock.now();
  if (now - found.acceptedAt > STATUS_RETENTION.export) throw new Gone();
  const expired = found.status === 200 && found.expiresAt !== null && found.expiresAt <= now;
  const status = expired ? 210 : found.status;
  const parts = status === 200 ? await listParts(deps.database, reference) : [];
  return {
    status: statusInfo(EXPORT_STATUS, status, found.details),
    ...(found.completedAt === null ? {} : { completedDate: formatTimestamp(found.completedAt) }),
    ...(found.expiresAt === null ? {} : { packageExpirationDate: formatTimestamp(found.expiresAt) }),
    ...(status === 200 && found.package
      ? { package: { ...found.package, parts: parts.map((part) => presentPart(deps, found, part, baseUrl, now)) } }
      : {}),
  };
}

type Part = NonNullable<Output<typeof endpoint>['package']>['parts'][number];

function presentPart(deps: ExportDeps, e: Export, part: ExportPart, baseUrl: string, now: number): Part {
  const ordinal = String(part.ordinal).padStart(3, '0');
  const partName = `${e.reference}-${ordinal}.${e.compression === 'Zip' ? 'zip' : 'tar.gz'}.aes`;
  const expiresAt = Math.min(now + LIFETIMES.exportPartLink, e.expiresAt ?? Number.MAX_SAFE_INTEGER);
  const path = `/storage/00/exports/${e.reference.toLowerCase()}/${ordinal}`;
  return {
    ordinalNumber: part.ordinal,
    partName,
    method: 'GET',
    url: `${baseUrl}${path}?${deps.links.sign({ method: 'GET', path, expiresAt })}`,
    partSize: part.size,
    partHash: part.hash.toString('base64'),
    encryptedPartSize: part.encryptedSize,
    encryptedPartHash: part.encryptedHash.toString('base64'),
    expirationDate: formatTimestamp(expiresAt),
  };
}
