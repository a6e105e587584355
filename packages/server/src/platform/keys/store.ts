import type { Queryable } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import type { KeyPurpose } from './key-ring.ts';
import type { KeyAlgorithm, StoredCertificate, StoredKey } from './stored-key.ts';

/** Notified with every change, so that running nodes read anew. */
export const KEYS_CHANNEL = 'kwit_keys';
/** Any number that no other code takes an advisory lock on. */
const LOCK = 4_977_005;

interface KeyRow {
  id: string;
  purpose: KeyPurpose;
  generation: number;
  algorithm: KeyAlgorithm;
  wrapped: Buffer;
  master_key_id: string;
  spki: Buffer | null;
  public_key_id: string | null;
  created_at: Date;
  retire_at: Date | null;
  withdrawn_at: Date | null;
}

interface CertificateRow {
  id: string;
  key_id: string;
  issuer_key_id: string | null;
  der: Buffer;
  valid_from: Date;
  valid_to: Date;
  created_at: Date;
}

/** Held to the end of the transaction: changes of the keys happen one after the other, on whichever node. */
export async function lockKeys(tx: Queryable): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCK})`);
}

/** Reaches the other nodes when the transaction commits. */
export async function announceChange(tx: Queryable): Promise<void> {
  await tx.execute(sql`select pg_notify(${KEYS_CHANNEL}, '')`);
}

/** Every key there ever was, the newest of each purpose first. */
export async function readKeys(db: Queryable): Promise<StoredKey[]> {
  // Keys before certificates: a certificate that is committed in between belongs to no key of the list and is left out.
  const keys = await db.query<KeyRow>(sql`
    select id, purpose, generation, algorithm, wrapped, master_key_id, spki, public_key_id, created_at, retire_at, withdrawn_at
    from service_key
    order by purpose, generation desc`);
  const certificates = await db.query<CertificateRow>(sql`
    select id, key_id, issuer_key_id, der, valid_from, valid_to, created_at
    from service_key_certificate
    order by number desc`);
  const byKey = Map.groupBy(certificates.map(toCertificate), (certificate) => certificate.keyId);
  return keys.map((row) => toKey(row, byKey.get(row.id) ?? []));
}

export async function insertKey(tx: Queryable, key: StoredKey): Promise<void> {
  const { id, purpose, generation, algorithm, wrapped, masterKeyId, publicPart, createdAt } = key;
  await tx.execute(sql`
    insert into service_key (id, purpose, generation, algorithm, wrapped, master_key_id, spki, public_key_id, created_at)
    values (${id}, ${purpose}, ${generation}, ${algorithm}, ${wrapped}, ${masterKeyId},
      ${publicPart?.spki ?? null}, ${publicPart?.publicKeyId ?? null}, ${new Date(createdAt)})`);
}

export async function insertCertificate(tx: Queryable, certificate: StoredCertificate): Promise<void> {
  const { id, keyId, issuerKeyId, der, validFrom, validTo, createdAt } = certificate;
  await tx.execute(sql`
    insert into service_key_certificate (id, key_id, issuer_key_id, der, valid_from, valid_to, created_at)
    values (${id}, ${keyId}, ${issuerKeyId ?? null}, ${der}, ${new Date(validFrom)}, ${new Date(validTo)},
      ${new Date(createdAt)})`);
}

/** Plans the end of a key; an earlier end that was planned before stays. */
export async function retireKey(tx: Queryable, id: string, at: number): Promise<void> {
  await tx.execute(sql`
    update service_key set retire_at = ${new Date(at)}
    where id = ${id} and withdrawn_at is null and (retire_at is null or retire_at > ${new Date(at)})`);
}

/** False when it was withdrawn before. */
export async function withdrawStoredKey(tx: Queryable, id: string, at: number): Promise<boolean> {
  const changed = await tx.execute(sql`
    update service_key set withdrawn_at = ${new Date(at)} where id = ${id} and withdrawn_at is null`);
  return changed === 1;
}

/** The same key under another master key. */
export async function replaceWrapped(tx: Queryable, id: string, wrapped: Buffer, masterKeyId: string): Promise<void> {
  await tx.execute(sql`
    update service_key set wrapped = ${wrapped}, master_key_id = ${masterKeyId} where id = ${id}`);
}

function toKey(row: KeyRow, certificates: readonly StoredCertificate[]): StoredKey {
  return {
    id: row.id,
    purpose: row.purpose,
    generation: row.generation,
    algorithm: row.algorithm,
    wrapped: row.wrapped,
    masterKeyId: row.master_key_id,
    publicPart: row.spki && row.public_key_id ? { spki: row.spki, publicKeyId: row.public_key_id } : undefined,
    createdAt: row.created_at.getTime(),
    retireAt: row.retire_at?.getTime(),
    withdrawnAt: row.withdrawn_at?.getTime(),
    certificates,
  };
}

function toCertificate(row: CertificateRow): StoredCertificate {
  return {
    id: row.id,
    keyId: row.key_id,
    issuerKeyId: row.issuer_key_id ?? undefined,
    der: row.der,
    validFrom: row.valid_from.getTime(),
    validTo: row.valid_to.getTime(),
    createdAt: row.created_at.getTime(),
  };
}
