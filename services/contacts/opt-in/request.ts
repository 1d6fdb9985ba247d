// Owns the sending of an opt-in mail: may it go, the row, the mail, what became of it.
// Contract: states-and-events.md 11.1 and 11.2.
//
// The row is committed before the mail goes, so a link in a mailbox is always known here; the mail goes outside of any
// transaction, so a slow server holds no lock. If the process dies in between, the row counts and its link works: the
// mail may be out. What the server did not take is told apart afterwards:
//   taken                      the link is the contact's only one; older ones are void
//   broke off, took too long   it may be out: the link works, it counts, older ones stay
//   the server said no         nobody has the link: void, but it counts, so that nobody can hammer a dead mailbox
//   nothing was handed over    the row goes, as if nothing had happened: after an outage the next call may try at once
import { randomUUID } from 'node:crypto'
import type { Mail, MailAnswer } from '#mail/mail'
import type { Database, Sql } from '#postgres/connect'
import { canonicalMailbox, expiryOf, isOverLimit, limitWindows, mailboxDigest, mintToken } from './opt-in.ts'
import { optInLetter } from './mail.ts'
import {
  countRequests,
  deleteRequest,
  findAddressee,
  insertRequest,
  lockMailbox,
  lockShop,
  markSent,
  voidRequest,
} from './queries.ts'

export type OptInAsk = {
  shopId: string
  shopName: string
  contactId: string
  /** Which door it came through. */
  source: 'api' | 'signup'
  publicUrl: string
  now: Date
}

/** `sent` only when the mail server took the mail; `because` is for logs and metrics, never for whoever asked. */
export type OptInOutcome =
  | { sent: true }
  | { sent: false; because: 'no_address' | 'confirmed' | 'suppressed' | 'limit' | 'mail'; mail?: MailAnswer }

/** Sends the mail if it may go. Never throws for the mail server; takes as long as one mail may take. */
export async function requestOptIn(db: Database, mail: Mail, ask: OptInAsk): Promise<OptInOutcome> {
  const { token, digest } = mintToken()
  const admitted = await db.transaction((tx) => admit(tx, ask, digest))
  if (typeof admitted === 'string') return { sent: false, because: admitted }
  const answer = await mail.send(optInLetter({ ...ask, email: admitted.email, token }))
  await settle(db, ask, admitted.id, answer)
  return answer === 'sent' ? { sent: true } : { sent: false, because: 'mail', mail: answer }
}

type NotAdmitted = 'no_address' | 'confirmed' | 'suppressed' | 'limit'

async function admit(
  tx: Sql,
  ask: OptInAsk,
  tokenDigest: Buffer,
): Promise<NotAdmitted | { id: string; email: string }> {
  const { shopId, contactId, shopName, source, now } = ask
  const contact = await findAddressee(tx, shopId, contactId)
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

async function settle(db: Sql, ask: OptInAsk, id: string, answer: MailAnswer): Promise<void> {
  if (answer === 'sent') return markSent(db, ask.shopId, id, ask.contactId, ask.now)
  if (answer.refused === 'unknown') return
  if (answer.refused === 'rejected') return voidRequest(db, ask.shopId, id, ask.now)
  await deleteRequest(db, ask.shopId, id)
}
