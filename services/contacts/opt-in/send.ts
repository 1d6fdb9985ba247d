// Sends an opt-in mail. docs/spec/double-opt-in.md#requesting-the-mail, docs/spec/double-opt-in.md#limits
// The row is committed before the mail is sent, so the link of a mail always works; the mail is sent outside of any
// transaction, so a slow server holds no lock. If the process dies in between, the row counts and its link works. Afterwards:
//   sent          the link is the contact's only one; older ones are void
//   unknown       the mail may be out: the link works, the mail counts, older links stay
//   rejected      nobody has the link: it is void, but the mail counts, so that a dead mailbox is not tried again and again
//   not handed over   the row is deleted: after an outage the next call with another Idempotency-Key may send at once
import { randomUUID } from 'node:crypto'
import type { Mail, MailAnswer } from '#mail/mail'
import type { Database, Sql } from '#postgres/connect'
import { optInLetter } from './mail.ts'
import { canonicalMailbox, expiryOf, isOverLimit, limitWindows, mailboxDigest, mintToken } from './opt-in.ts'
import {
  countRequests,
  deleteRequest,
  findRecipient,
  insertRequest,
  lockMailbox,
  lockShop,
  markSent,
  voidRequest,
} from './queries.ts'

export type OptInOrder = {
  shopId: string
  shopName: string
  contactId: string
  source: 'api' | 'signup'
  publicUrl: string
  now: Date
}

type NotAllowed = 'no_address' | 'confirmed' | 'suppressed' | 'limit'
/** `because` is for logs only: a caller must not learn it. */
export type OptInOutcome = { sent: true } | { sent: false; because: NotAllowed | 'mail'; mail?: MailAnswer }

/** Sends the mail if it is allowed; `sent` when the mail server took it. Throws only for the database. */
export async function sendOptIn(db: Database, mail: Mail, order: OptInOrder): Promise<OptInOutcome> {
  const { token, digest } = mintToken()
  const request = await db.transaction((tx) => createRequest(tx, order, digest))
  if (typeof request === 'string') return { sent: false, because: request }
  const answer = await mail.send(optInLetter({ ...order, email: request.email, token }))
  await recordAnswer(db, order, request.id, answer)
  return answer === 'sent' ? { sent: true } : { sent: false, because: 'mail', mail: answer }
}

async function createRequest(
  tx: Sql,
  { shopId, contactId, shopName, source, now }: OptInOrder,
  tokenDigest: Buffer,
): Promise<NotAllowed | { id: string; email: string }> {
  const contact = await findRecipient(tx, shopId, contactId)
  if (contact === null || contact.email === null) return 'no_address'
  if (contact.marketing_consent_at !== null) return 'confirmed'
  const mailbox = canonicalMailbox(contact.email)
  await lockMailbox(tx, mailbox)
  await lockShop(tx, shopId)
  const counts = await countRequests(tx, shopId, mailbox, mailboxDigest(mailbox), limitWindows(now))
  if (counts.suppressed) return 'suppressed'
  if (isOverLimit(counts)) return 'limit'
  const id = randomUUID()
  await insertRequest(tx, shopId, {
    id,
    contact_id: contactId,
    mailbox,
    email: contact.email,
    shop_name: shopName,
    source,
    token_digest: tokenDigest,
    created_at: now,
    expires_at: expiryOf(now),
  })
  return { id, email: contact.email }
}

async function recordAnswer(db: Sql, { shopId, contactId, now }: OptInOrder, id: string, answer: MailAnswer) {
  if (answer === 'sent') return markSent(db, shopId, id, contactId, now)
  if (answer.refused === 'unknown') return
  if (answer.refused === 'rejected') return voidRequest(db, shopId, id, now)
  await deleteRequest(db, shopId, id)
}
