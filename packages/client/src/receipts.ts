import * as endpoints from '@kwit/contract/session-endpoints';
import { ApiError } from './api-error.ts';
import { sha256Base64 } from './content-cipher.ts';
import type { Transport } from './transport.ts';

/** A signed receipt (UPO). The bytes are as signed: keep them as they are. */
export interface Receipt {
  xml: Buffer;
  /** SHA-256 of the bytes, Base64. */
  hash: string;
}

export interface Receipts {
  byNumber(sessionReference: string, svcNumber: string): Promise<Receipt>;
  byInvoice(sessionReference: string, invoiceReference: string): Promise<Receipt>;
  /** A page of the collective receipt; its reference stands in `sessions.read(...).upo.pages`. */
  page(sessionReference: string, upoReference: string): Promise<Receipt>;
  /** By a link of `upoDownloadUrl` or `upo.pages`; needs no token. */
  byLink(url: string): Promise<Receipt>;
}

const HASH_HEADER = 'x-ms-meta-hash';

export function createReceipts(transport: Transport): Receipts {
  return {
    async byNumber(referenceNumber, svcNumber) {
      return received(await transport.exchange(endpoints.readUpoByNumber, { params: { referenceNumber, svcNumber } }));
    },
    async byInvoice(referenceNumber, invoiceReferenceNumber) {
      const params = { referenceNumber, invoiceReferenceNumber };
      return received(await transport.exchange(endpoints.readUpoByInvoice, { params }));
    },
    async page(referenceNumber, upoReferenceNumber) {
      const params = { referenceNumber, upoReferenceNumber };
      return received(await transport.exchange(endpoints.readUpoPage, { params }));
    },
    async byLink(url) {
      const response = await transport.follow(url);
      const bytes = Buffer.from(await response.arrayBuffer());
      if (!response.ok) {
        throw new ApiError(response.status, { summary: 'The link has expired or is not as the service made it.' });
      }
      return received({ bytes, headers: response.headers });
    },
  };
}

function received({ bytes, headers }: { bytes: Buffer; headers: Headers }): Receipt {
  const hash = sha256Base64(bytes);
  const announced = headers.get(HASH_HEADER);
  if (announced !== null && announced !== hash) {
    throw new Error(`The receipt was damaged on its way: its SHA-256 is ${hash}, announced was ${announced}`);
  }
  return { xml: bytes, hash };
}
