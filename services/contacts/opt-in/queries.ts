// Owns all SQL of the double opt-in: one exported function for each statement, the shop first where it is known.
// A link knows no shop: such a statement finds its row by the digest of the token, which nobody can guess.
import type { Sql } from '#postgres/connect'
import type { OptInCounts } from './opt-in.ts'
import type { ConsentRow, OptInRequestRow } from './tables.ts'
import type { ContactRow } from '../tables.ts'

/** Whom a mail would go to, as the contact stands now. */
export async function findAddressee(db: Sql, shopId: string, contactId: string) {
  const [row] = await db.rows<Pick<ContactRow, 'email' | 'marketing_consent_at'>>(
    'select email, marketing_consent_at from contacts where shop_id = $1 and id = $2',
    [shopId, contactId],
  )
  return row ?? null
}

/** Lets one transaction at a time count and insert for this mailbox. */
export async function lockMailbox(tx: Sql, mailbox: string): Promise<void> {
  // All shops, since one of the limits is for all.
  await tx.rows("select pg_advisory_xact_lock(hashtextextended('opt-in mailbox ' || $1, 0))", [mailbox])
}

/** The same for this shop. Taken after the mailbox, always: whoever holds its shop waits for nothing any more. */
export async function lockShop(tx: Sql, shopId: string): Promise<void> {
  await tx.rows("select pg_advisory_xact_lock(hashtextextended('opt-in shop ' || $1, 0))", [shopId])
}

/** Mails that count, and whether the mailbox wants none of this shop. All shops where the limit is for all. */
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
  if (row === undefined) throw new Error('A count gives one row.')
  return row
}

export async function insertRequest(
  tx: Sql,
  shopId: string,
  row: Omit<OptInRequestRow, 'shop_id' | 'sent_at' | 'confirmed_at' | 'voided_at'>,
): Promise<void> {
  await tx.rows(
    `insert into opt_in_requests (shop_id, id, contact_id, mailbox, email, shop_name, source, token_digest, created_at,
       expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      shopId,
      row.id,
      row.contact_id,
      row.mailbox,
      row.email,
      row.shop_name,
      row.source,
      row.token_digest,
      row.created_at,
      row.expires_at,
    ],
  )
}

/** The mail server has it: this link is the one of the contact, older ones are over. */
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

/** The mail server said no: nobody has this link. The attempt still counts. */
export async function voidRequest(db: Sql, shopId: string, id: string, now: Date): Promise<void> {
  await db.rows('update opt_in_requests set voided_at = $3 where shop_id = $1 and id = $2', [shopId, id, now])
}

/** Nothing left the house: as if it had not been asked for. */
export async function deleteRequest(db: Sql, shopId: string, id: string): Promise<void> {
  await db.rows('delete from opt_in_requests where shop_id = $1 and id = $2', [shopId, id])
}

/** The link with this token, in whatever state. */
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

/** Uses the link up; false when it was used, superseded or over by then. */
export async function markConfirmed(tx: Sql, shopId: string, id: string, now: Date): Promise<boolean> {
  const rows = await tx.rows(
    `update opt_in_requests set confirmed_at = $3
     where shop_id = $1 and id = $2 and confirmed_at is null and voided_at is null and expires_at > $3 returning 1`,
    [shopId, id, now],
  )
  return rows.length > 0
}

/** What a given or withdrawn consent changes on the contact. */
export async function updateConsent(
  tx: Sql,
  shopId: string,
  row: Pick<ContactRow, 'id' | 'marketing_consent_at' | 'updated_at' | 'document'>,
): Promise<void> {
  await tx.rows(
    `update contacts set marketing_consent_at = $3, updated_at = $4, document = $5 where shop_id = $1 and id = $2`,
    [shopId, row.id, row.marketing_consent_at, row.updated_at, row.document],
  )
}

export async function insertConsent(tx: Sql, shopId: string, row: Omit<ConsentRow, 'shop_id'>): Promise<void> {
  await tx.rows(
    `insert into consents (shop_id, id, contact_id, kind, email, at, address, agent, text_version, source)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [shopId, row.id, row.contact_id, row.kind, row.email, row.at, row.address, row.agent, row.text_version, row.source],
  )
}

/** From now on this shop sends nothing there. */
export async function insertSuppression(tx: Sql, shopId: string, digest: Buffer, now: Date): Promise<void> {
  await tx.rows(
    `insert into suppressed_mailboxes (shop_id, mailbox_digest, created_at) values ($1, $2, $3) on conflict do nothing`,
    [shopId, digest, now],
  )
}

/** Ends every link to that mailbox, the one that confirmed too. */
export async function voidRequestsTo(tx: Sql, shopId: string, mailbox: string, now: Date): Promise<void> {
  await tx.rows('update opt_in_requests set voided_at = $3 where shop_id = $1 and mailbox = $2 and voided_at is null', [
    shopId,
    mailbox,
    now,
  ])
}

/** Forgets old links, in small steps; gives how many. */
export async function forgetRequests(db: Sql, before: Date): Promise<number> {
  const gone = await db.rows(
    `delete from opt_in_requests where id in (
       select id from opt_in_requests where created_at < $1 limit 1000) returning 1`, // All shops: this is housekeeping.
    [before],
  )
  return gone.length
}
