// SQL of the double opt-in. A link names no shop: its row is found by the digest of the token, which nobody can guess.
import type { Sql } from '#postgres/connect'
import type { OptInCounts } from './opt-in.ts'
import type { ConsentRow, ContactRow, OptInRequestRow } from '../tables.ts'

/** The present address and consent of a contact. */
export async function findRecipient(db: Sql, shopId: string, contactId: string) {
  const [row] = await db.rows<Pick<ContactRow, 'email' | 'marketing_consent_at'>>(
    'select email, marketing_consent_at from contacts where shop_id = $1 and id = $2',
    [shopId, contactId],
  )
  return row ?? null
}

/** Until the transaction ends no other one counts or inserts requests to this mailbox. */
export async function lockMailbox(tx: Sql, mailbox: string): Promise<void> {
  // All shops: one of the limits is for all.
  await tx.rows("select pg_advisory_xact_lock(hashtextextended('opt-in mailbox ' || $1, 0))", [mailbox])
}

/** The same for this shop. Always locked after the mailbox, so that two transactions cannot deadlock. */
export async function lockShop(tx: Sql, shopId: string): Promise<void> {
  // The key of the lock is the shop_id.
  await tx.rows("select pg_advisory_xact_lock(hashtextextended('opt-in shop ' || $1, 0))", [shopId])
}

/** The mails that count, and whether the mailbox is suppressed for this shop. One limit counts all shops. */
export async function countRequests(
  tx: Sql,
  shopId: string,
  mailbox: string,
  digest: Buffer,
  since: { gap: Date; hour: Date; day: Date },
): Promise<OptInCounts & { suppressed: boolean }> {
  const [row] = await tx.rows<OptInCounts & { suppressed: boolean }>(
    `select
       (select count(*) from opt_in_requests where mailbox = $2 and created_at > $5) as day_all,
       (select count(*) from opt_in_requests where mailbox = $2 and created_at > $5 and shop_id = $1) as day_shop,
       (select count(*) from opt_in_requests where mailbox = $2 and created_at > $6 and shop_id = $1) as gap_shop,
       (select count(*) from opt_in_requests where shop_id = $1 and created_at > $4) as hour_shop,
       exists (select 1 from suppressed_mailboxes where shop_id = $1 and mailbox_digest = $3) as suppressed`,
    [shopId, mailbox, digest, since.hour, since.day, since.gap],
  )
  if (row === undefined) throw new Error('A count returns one row.')
  return row
}

export async function insertRequest(
  tx: Sql,
  shopId: string,
  row: Omit<OptInRequestRow, 'shop_id' | 'sent_at' | 'confirmed_at' | 'voided_at'>,
): Promise<void> {
  await tx.write(
    `insert into opt_in_requests (shop_id, id, contact_id, mailbox, email, shop_name, source, token_digest, created_at,
       expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      ...[shopId, row.id, row.contact_id, row.mailbox, row.email, row.shop_name, row.source, row.token_digest],
      ...[row.created_at, row.expires_at],
    ],
  )
}

/** The mail server took the mail: voids the older links of the contact. */
export async function markSent(db: Sql, shopId: string, id: string, contactId: string, now: Date): Promise<void> {
  await db.rows(
    `update opt_in_requests set
       sent_at = case when id = $2 then $4 else sent_at end,
       voided_at = case when id = $2 then voided_at else $4 end
     where shop_id = $1 and contact_id = $3
       and (id = $2 or (confirmed_at is null and voided_at is null
         and created_at <= (select created_at from opt_in_requests where shop_id = $1 and id = $2)))`,
    [shopId, id, contactId, now],
  )
}

/** The mail server rejected the mail: nobody has this link. The mail still counts. */
export async function voidRequest(db: Sql, shopId: string, id: string, now: Date): Promise<void> {
  await db.rows('update opt_in_requests set voided_at = $3 where shop_id = $1 and id = $2', [shopId, id, now])
}

/** The mail was not handed over: it does not count. */
export async function deleteRequest(db: Sql, shopId: string, id: string): Promise<void> {
  await db.rows('delete from opt_in_requests where shop_id = $1 and id = $2', [shopId, id])
}

/** The request with this link, in any state. */
export async function findRequest(db: Sql, tokenDigest: Buffer): Promise<OptInRequestRow | null> {
  const [row] = await db.rows<OptInRequestRow>('select * from opt_in_requests where token_digest = $1', [tokenDigest]) // By its own key.
  return row ?? null
}

export async function lockContact(tx: Sql, shopId: string, id: string): Promise<ContactRow | null> {
  const [row] = await tx.rows<ContactRow>('select * from contacts where shop_id = $1 and id = $2 for update', [
    shopId,
    id,
  ])
  return row ?? null
}

/** Marks the link as used; false when it is used, void or expired. */
export async function markConfirmed(tx: Sql, shopId: string, id: string, now: Date): Promise<boolean> {
  const rows = await tx.rows(
    `update opt_in_requests set confirmed_at = $3
     where shop_id = $1 and id = $2 and confirmed_at is null and voided_at is null and expires_at > $3 returning 1`,
    [shopId, id, now],
  )
  return rows.length > 0
}

/** Stores the columns of a contact that a consent changes. */
export async function updateConsent(
  tx: Sql,
  shopId: string,
  row: Pick<ContactRow, 'id' | 'marketing_consent_at' | 'updated_at' | 'document'>,
): Promise<void> {
  await tx.write(
    `update contacts set marketing_consent_at = $3, updated_at = $4, document = $5 where shop_id = $1 and id = $2`,
    [shopId, row.id, row.marketing_consent_at, row.updated_at, row.document],
  )
}

export async function insertConsent(tx: Sql, shopId: string, row: Omit<ConsentRow, 'shop_id'>): Promise<void> {
  await tx.write(
    `insert into consents (shop_id, id, contact_id, kind, email, at, address, agent, text_version, source)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [shopId, row.id, row.contact_id, row.kind, row.email, row.at, row.address, row.agent, row.text_version, row.source],
  )
}

export async function insertSuppression(tx: Sql, shopId: string, digest: Buffer, now: Date): Promise<void> {
  await tx.write(
    `insert into suppressed_mailboxes (shop_id, mailbox_digest, created_at) values ($1, $2, $3) on conflict do nothing`,
    [shopId, digest, now],
  )
}

/** The instant since which the mailbox wants no mail of the shop, or null. */
export async function findSuppression(db: Sql, shopId: string, digest: Buffer): Promise<Date | null> {
  const [row] = await db.rows<{ created_at: Date }>(
    'select created_at from suppressed_mailboxes where shop_id = $1 and mailbox_digest = $2',
    [shopId, digest],
  )
  return row?.created_at ?? null
}

/** The consent records of a contact, oldest first. */
export function listConsents(db: Sql, shopId: string, contactId: string): Promise<ConsentRow[]> {
  return db.rows('select * from consents where shop_id = $1 and contact_id = $2 order by at, id', [shopId, contactId])
}

/** The opt-in mails of a contact that are still stored, oldest first. */
export function listRequests(db: Sql, shopId: string, contactId: string): Promise<OptInRequestRow[]> {
  return db.rows('select * from opt_in_requests where shop_id = $1 and contact_id = $2 order by created_at, id', [
    shopId,
    contactId,
  ])
}

/** Voids every link to that mailbox, also the one that confirmed. */
export async function voidRequestsTo(tx: Sql, shopId: string, mailbox: string, now: Date): Promise<void> {
  await tx.write(
    'update opt_in_requests set voided_at = $3 where shop_id = $1 and mailbox = $2 and voided_at is null',
    [shopId, mailbox, now],
  )
}

/** Deletes up to 1,000 requests from before an instant; returns how many. */
export async function deleteOldRequests(db: Sql, before: Date): Promise<number> {
  const deleted = await db.rows(
    `delete from opt_in_requests where (shop_id, id) in (
       select shop_id, id from opt_in_requests where created_at < $1 limit 1000) returning 1`, // All shops: housekeeping.
    [before],
  )
  return deleted.length
}
