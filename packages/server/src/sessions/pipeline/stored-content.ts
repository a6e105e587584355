import type { MasterKey } from '../../platform/keys/master-key.ts';
import { openContentKey } from '../content-key.ts';
import type { LimitsOf } from '../deps.ts';
import type { Claimed } from './claim.ts';
import type { SentContent } from './judge-contents.ts';

/**
 * What a thread needs to judge one invoice. Undefined when what was stored cannot be read any more: its bytes are gone, or the key of
 * its session does not open. No further try would change that; the sender is told to send it again (status 550).
 */
export async function storedContent(
  deps: { masterKey: MasterKey; limitsOf: LimitsOf },
  c: Claimed,
): Promise<SentContent | undefined> {
  const limits = (await deps.limitsOf({ type: c.context_type, value: c.context_value }))[
    c.kind === 'Online' ? 'onlineSession' : 'batchSession'
  ];
  const key = c.is_plain ? undefined : keyOf(deps.masterKey, c);
  if (c.content === null || key === 'unreadable') return undefined;
  return {
    bytes: c.content,
    ...(key ? { encryption: { key, vector: c.vector } } : {}),
    ...(c.declared_size === null
      ? {}
      : { declared: { size: Number(c.declared_size), hash: c.declared_hash.toString('base64') } }),
    form: c.form,
    invoicingDate: c.invoicing_at.getTime(),
    limits: {
      plain: limits.maxInvoiceSizeInMB * 1_000_000,
      withAttachment: limits.maxInvoiceWithAttachmentSizeInMB * 1_000_000,
    },
  };
}

function keyOf(masterKey: MasterKey, { session, content_key }: Claimed): Buffer | 'unreadable' {
  if (content_key === null) return 'unreadable';
  try {
    return openContentKey(masterKey, session, content_key);
  } catch {
    return 'unreadable';
  }
}
