import type { RevocationReason } from '@kwit/contract/enumerations';
import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/sql.ts';

export interface StoredList {
  der: Buffer | undefined;
  nextUpdate: number;
  stale: boolean;
}

export async function findList(on: Queryable, authority: string): Promise<StoredList | undefined> {
  const [row] = await on.query<{ der: Buffer | null; next_update: Date; stale: boolean }>(
    sql`select der, next_update, stale from certificate_revocation_list where authority = ${authority}`,
  );
  return row && { der: row.der ?? undefined, nextUpdate: row.next_update.getTime(), stale: row.stale };
}

/** Whoever reads the list next gets a new one, even if the job that makes it has not come yet. */
export async function markStale(on: Queryable, authority: string, now: number): Promise<void> {
  // Also when there is no list yet: one that is being made right now may not have seen what this transaction revokes.
  await on.execute(sql`
    insert into certificate_revocation_list (authority, number, next_update, stale) values (${authority}, 0, ${new Date(now)}, true)
    on conflict (authority) do update set stale = true`);
}

/** Takes the next number, and with it the right to write the list, until the end of the transaction. */
export async function takeNumber(on: Queryable, authority: string, now: number): Promise<number> {
  const [row] = await on.query<{ number: number }>(sql`
    insert into certificate_revocation_list (authority, number, next_update, stale)
    values (${authority}, 1, ${new Date(now)}, true)
    on conflict (authority) do update set number = certificate_revocation_list.number + 1
    returning number`);
  return (row as { number: number }).number;
}

export async function writeList(on: Queryable, authority: string, der: Buffer, nextUpdate: number): Promise<void> {
  await on.execute(sql`
    update certificate_revocation_list set der = ${der}, next_update = ${new Date(nextUpdate)}, stale = false
    where authority = ${authority}`);
}

export interface RevokedSerial {
  serial: string;
  blockedAt: number;
  reason: RevocationReason;
}

/** Blocked and revoked ones that would otherwise still be valid; a list does not carry what has expired anyway. */
export async function findRevoked(on: Queryable, authority: string, now: number): Promise<RevokedSerial[]> {
  const rows = await on.query<{ serial: string; blocked_at: Date; reason: RevocationReason }>(sql`
    select serial, blocked_at, reason from certificate
    where authority = ${authority} and blocked_at is not null and blocked_at <= ${new Date(now)} and valid_to >= ${new Date(now)}
    order by blocked_at, serial`);
  return rows.map(({ serial, blocked_at, reason }) => ({ serial, blockedAt: blocked_at.getTime(), reason }));
}
