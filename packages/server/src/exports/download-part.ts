import type { DocumentAnswer, EmptyAnswer } from '../platform/binding.ts';
import { BlobMissing } from '../platform/blobs/blobs.ts';
import type { ExportDeps } from './deps.ts';
import { findExport, listParts } from './store.ts';

/** A part by its signed link: 403 for a link that is not good, 404 when the package is gone, both without a body. */
export async function downloadPart(
  deps: ExportDeps,
  request: { path: string; query: string; reference: string; part: string },
): Promise<DocumentAnswer | EmptyAnswer> {
  const verdict = deps.links.verify({ method: 'GET', path: request.path, query: request.query }, deps.clock.now());
  if (!verdict.ok) return { emptyStatus: 403 };
  const reference = request.reference.toUpperCase();
  const found = await findExport(deps.database, reference);
  const part = (await listParts(deps.database, reference)).find((p) => p.ordinal === Number(request.part));
  if (found?.status !== 200 || !part) return { emptyStatus: 404 };
  try {
    return {
      contentType: 'application/octet-stream',
      bytes: await deps.blobs.get(part.blob),
      headers: {
        'content-length': String(part.encryptedSize),
        'x-ms-meta-hash': part.encryptedHash.toString('base64'),
      },
    };
  } catch (error) {
    if (error instanceof BlobMissing) return { emptyStatus: 404 };
    throw error;
  }
}
