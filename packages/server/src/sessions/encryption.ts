import type { Input } from '@kwit/contract/endpoint';
import { DETAIL_TEXTS } from '@kwit/contract/problem-texts';
import { isBase64 } from '@kwit/contract/read';
import { detail, Refusal } from '@kwit/contract/refusal';
import type { openOnlineSession } from '@kwit/contract/session-endpoints';

type Body = Pick<
  Input<typeof openOnlineSession, 'body'>,
  'encryption' | 'encryptionKey' | 'initializationVector' | 'publicKeyId'
>;

export interface SessionEncryption {
  wrappedKey: Buffer;
  /** Null: every ciphertext carries its own vector in front. */
  vector: Buffer | null;
  publicKeyId: string | undefined;
}

/**
 * The key material of a session in either form of the body: the published `encryption` object, or the spec's `encryptionKey` (text
 * or an object) with `publicKeyId` beside it. Both forms at once must agree.
 */
export function readEncryption(body: Body): SessionEncryption {
  const failures: string[] = [];
  const short = readShort(body.encryptionKey, failures);
  const keys = [body.encryption?.encryptedSymmetricKey, short.key].filter((k) => k !== undefined);
  const vectors = [body.encryption?.initializationVector, short.vector, body.initializationVector].filter(
    (v) => v !== undefined && v.trim() !== '',
  );
  if (keys.length === 0 && failures.length === 0)
    failures.push("'encryption.encryptedSymmetricKey' must not be empty.");
  if (new Set(keys).size > 1) failures.push("'encryptionKey' must be equal to 'encryption.encryptedSymmetricKey'.");
  if (new Set(vectors).size > 1)
    failures.push("'initializationVector' must be equal to 'encryption.initializationVector'.");
  const vector = vectors[0] === undefined ? null : readVector(vectors[0], failures);
  if (failures.length > 0) {
    throw new Refusal([{ code: 21405, details: failures.map((text) => detail('{0}', { 0: text })) }]);
  }
  return {
    wrappedKey: Buffer.from(keys[0] ?? '', 'base64'),
    vector,
    publicKeyId: body.encryption?.publicKeyId ?? body.publicKeyId ?? short.publicKeyId,
  };
}

interface Short {
  key?: string;
  vector?: string;
  publicKeyId?: string;
}

function readShort(value: unknown, failures: string[]): Short {
  if (value === undefined) return {};
  if (typeof value === 'string') return isFilledBase64(value) ? { key: value } : wrong('encryptionKey', failures);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('encryptionKey', failures);
  const fields = new Map(Object.entries(value).map(([key, item]) => [key.toLowerCase(), item as unknown]));
  const key = fields.get('encryptedsymmetrickey');
  const vector = fields.get('initializationvector') ?? '';
  if (typeof key !== 'string' || !isFilledBase64(key)) return wrong('encryptionKey.encryptedSymmetricKey', failures);
  if (typeof vector !== 'string') return wrong('encryptionKey.initializationVector', failures);
  const publicKeyId = fields.get('publickeyid');
  return { key, vector, ...(typeof publicKeyId === 'string' ? { publicKeyId } : {}) };
}

function wrong(path: string, failures: string[]): Short {
  failures.push(`'${path}' is not in the correct format.`);
  return {};
}

function isFilledBase64(text: string): boolean {
  return text !== '' && isBase64(text);
}

function readVector(text: string, failures: string[]): Buffer | null {
  if (!isFilledBase64(text)) {
    wrong('encryption.initializationVector', failures);
    return null;
  }
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 16) failures.push(DETAIL_TEXTS.ivLength.replace('{n}', String(bytes.length)));
  return bytes;
}
