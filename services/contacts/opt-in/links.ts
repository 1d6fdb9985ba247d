// The actions behind the links of an opt-in mail: "yes" writes the consent once, "this was not me" suppresses the mailbox.
// docs/spec/double-opt-in.md#pages, docs/spec/double-opt-in.md#suppression
// Unknown, expired, used and superseded links are all answered null. The row of the contact is locked first, as by every
// other change of a contact, so that answers are processed one after the other.
import { randomUUID } from 'node:crypto'
import type { ActionHandlers } from '#runtime/service'
import { CONSENT_TEXT_VERSION } from '#contracts/objects/contact'
import type { Database, Sql } from '#postgres/connect'
import { nextStamp } from '#postgres/watermark'
import { contactDocument } from '../shape.ts'
import type { ContactRow, OptInRequestRow } from '../tables.ts'
import { canonicalMailbox, digestToken, mailboxDigest } from './opt-in.ts'
import {
  findRequest,
  insertConsent,
  insertSuppression,
  lockContact,
  markConfirmed,
  updateConsent,
  voidRequestsTo,
} from './queries.ts'

const AGENT_LENGTH_MAX = 500 // Browsers need 200; a header may hold thousands.

/** Network address and browser of the person, as far as known. */
export type Client = { address: string | null; agent: string | null }
type LinkAnswer = { shopName: string } | null

export function linkActions(db: Database): ActionHandlers {
  const withDigest = async <Answer>(token: string, work: (digest: Buffer) => Promise<Answer>) => {
    const digest = digestToken(token)
    return digest === null ? null : work(digest)
  }
  return {
    'contacts.opt_in_find': ({ params: { token }, locals: { now } }) =>
      withDigest(token, (digest) => findOptIn(db, digest, now)),
    'contacts.opt_in_confirm': ({ params: { token, ...client }, locals: { now } }) =>
      withDigest(token, (digest) => confirmOptIn(db, digest, client, now)),
    'contacts.opt_in_sender': ({ params: { token } }) => withDigest(token, (digest) => findSender(db, digest)),
    'contacts.opt_in_suppress': ({ params: { token, ...client }, locals: { now } }) =>
      withDigest(token, (digest) => suppress(db, digest, client, now)),
  }
}

/** The state of a link; null where it is not valid. Changes nothing. */
export async function findOptIn(db: Sql, tokenDigest: Buffer, now: Date) {
  const request = await findRequest(db, tokenDigest)
  return request === null ? null : stateOf(request, now)
}

/** Writes the consent. The link that wrote it is answered the same every time; null for any other. */
export async function confirmOptIn(db: Database, tokenDigest: Buffer, client: Client, now: Date): Promise<LinkAnswer> {
  const known = await findRequest(db, tokenDigest)
  if (known === null) return null
  return db.change(known.shop_id, async (tx, stamp) => {
    const found = await lockRequest(tx, tokenDigest, known)
    if (found === null) return null
    const { request, contact } = found
    const answer = { shopName: request.shop_name }
    if (stateOf(request, now)?.state === 'confirmed') return answer
    // The consent is for the mailbox that got the link. The contact may have another address by now.
    if (!hasMailbox(contact, request) || !(await markConfirmed(tx, request.shop_id, request.id, now))) return null
    if (contact.marketing_consent_at === null) await saveConsent(tx, contact, stamp, stamp)
    await insertConsent(tx, request.shop_id, consentRecord('given', request, client, stamp))
    return answer
  })
}

/** The shop that sent the mail of a link, whatever the state of the link; null for an unknown one. */
export async function findSender(db: Sql, tokenDigest: Buffer): Promise<LinkAnswer> {
  const request = await findRequest(db, tokenDigest)
  return request === null ? null : { shopName: request.shop_name }
}

/**
 * "This was not me" and one-click unsubscribe: suppresses the mailbox for the shop, voids its links and withdraws a consent
 * for that mailbox. Works with every link that is still stored, however old; null for an unknown one.
 */
export async function suppress(db: Database, tokenDigest: Buffer, client: Client, now: Date): Promise<LinkAnswer> {
  const known = await findRequest(db, tokenDigest)
  if (known === null) return null
  return db.change(known.shop_id, async (tx, stamp) => {
    const found = await lockRequest(tx, tokenDigest, known)
    if (found === null) return null
    const { request, contact } = found
    await insertSuppression(tx, request.shop_id, mailboxDigest(request.mailbox), now)
    await voidRequestsTo(tx, request.shop_id, request.mailbox, now)
    if (contact.marketing_consent_at !== null && hasMailbox(contact, request)) {
      await saveConsent(tx, contact, null, stamp)
      await insertConsent(tx, request.shop_id, consentRecord('withdrawn', request, client, stamp))
    }
    return { shopName: request.shop_name }
  })
}

// The request is read again under the lock, because another answer may have changed it.
async function lockRequest(tx: Sql, tokenDigest: Buffer, known: OptInRequestRow) {
  const contact = await lockContact(tx, known.shop_id, known.contact_id)
  const request = await findRequest(tx, tokenDigest)
  return contact === null || request === null ? null : { request, contact }
}

function stateOf(request: OptInRequestRow, now: Date): { state: 'open' | 'confirmed'; shopName: string } | null {
  if (request.voided_at !== null) return null
  if (request.confirmed_at !== null) return { state: 'confirmed', shopName: request.shop_name }
  return request.expires_at > now ? { state: 'open', shopName: request.shop_name } : null
}

function hasMailbox(contact: ContactRow, request: OptInRequestRow): boolean {
  return contact.email !== null && canonicalMailbox(contact.email) === request.mailbox
}

async function saveConsent(tx: Sql, contact: ContactRow, consentAt: Date | null, now: Date): Promise<void> {
  const updatedAt = nextStamp(contact.updated_at, now)
  const after = { ...contact, marketing_consent_at: consentAt, updated_at: updatedAt }
  await updateConsent(tx, contact.shop_id, { ...after, document: contactDocument(after) })
}

function consentRecord(kind: 'given' | 'withdrawn', request: OptInRequestRow, client: Client, now: Date) {
  return {
    id: randomUUID(),
    contact_id: request.contact_id,
    kind,
    email: request.email,
    at: now,
    address: client.address,
    agent: client.agent === null ? null : client.agent.slice(0, AGENT_LENGTH_MAX),
    text_version: CONSENT_TEXT_VERSION,
    source: request.source,
  }
}
