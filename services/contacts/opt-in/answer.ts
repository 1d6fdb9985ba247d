// Owns what a person answers through the link: yes, which writes the consent once, or "this was not me".
// Contract: states-and-events.md 11.3 and 11.5. Unknown, expired, used and superseded links give null, all alike.
// The contact's row lock is taken first, as by every other change of a contact, so that answers come one at a time.
import { randomUUID } from 'node:crypto'
import { CONSENT_TEXT_VERSION } from '#contracts/objects/contact'
import type { Database, Sql } from '#postgres/connect'
import { canonicalMailbox, mailboxDigest } from './opt-in.ts'
import {
  findRequest,
  insertConsent,
  insertSuppression,
  lockContact,
  markConfirmed,
  updateConsent,
  voidRequestsTo,
} from './queries.ts'
import type { OptInRequestRow } from './tables.ts'
import { contactDocument } from '../shape.ts'
import type { ContactRow } from '../tables.ts'

/** Where the answer came from: network address and browser, as far as known. */
export type Answerer = { address: string | null; agent: string | null }
export type OptInState = { state: 'open' | 'confirmed'; shopName: string }

/** What a link is now, for the page; changes nothing. Null: not valid, for whatever reason. */
export async function findOptIn(db: Sql, tokenDigest: Buffer, now: Date): Promise<OptInState | null> {
  const request = await findRequest(db, tokenDigest)
  return request === null ? null : stateOf(request, now)
}

/** Says yes. `confirmed` for the link that wrote the consent, however often; null for any other. */
export function confirmOptIn(
  db: Database,
  tokenDigest: Buffer,
  from: Answerer,
  now: Date,
): Promise<{ shopName: string } | null> {
  return db.transaction(async (tx) => {
    const found = await lockRequest(tx, tokenDigest)
    if (found === null) return null
    const { request, contact } = found
    if (stateOf(request, now)?.state === 'confirmed') return { shopName: request.shop_name }
    // The yes is for the mailbox that the link was sent to. The contact may have got another address since.
    if (!reaches(contact, request) || !(await markConfirmed(tx, request.shop_id, request.id, now))) return null
    if (contact.marketing_consent_at === null) await saveConsent(tx, contact, now, now)
    await insertConsent(tx, request.shop_id, evidence('given', request, from, now))
    return { shopName: request.shop_name }
  })
}

/** Whose mail this link came with, for the page that asks "was this not you?"; null when no such mail is known. */
export async function findSender(db: Sql, tokenDigest: Buffer): Promise<{ shopName: string } | null> {
  const request = await findRequest(db, tokenDigest)
  return request === null ? null : { shopName: request.shop_name }
}

/**
 * "This was not me", and one-click unsubscribe: the shop sends nothing to that mailbox any more, its links are over, and
 * a consent that stands on it is withdrawn. Works with every link that is still known, however old. Null for others.
 */
export function suppress(
  db: Database,
  tokenDigest: Buffer,
  from: Answerer,
  now: Date,
): Promise<{ shopName: string } | null> {
  return db.transaction(async (tx) => {
    const found = await lockRequest(tx, tokenDigest)
    if (found === null) return null
    const { request, contact } = found
    await insertSuppression(tx, request.shop_id, mailboxDigest(request.mailbox), now)
    await voidRequestsTo(tx, request.shop_id, request.mailbox, now)
    if (contact.marketing_consent_at !== null && reaches(contact, request)) {
      await saveConsent(tx, contact, null, now)
      await insertConsent(tx, request.shop_id, evidence('withdrawn', request, from, now))
    }
    return { shopName: request.shop_name }
  })
}

// Read again under the lock: what was true before may have been answered meanwhile.
async function lockRequest(tx: Sql, tokenDigest: Buffer) {
  const seen = await findRequest(tx, tokenDigest)
  if (seen === null) return null
  const contact = await lockContact(tx, seen.shop_id, seen.contact_id)
  const request = await findRequest(tx, tokenDigest)
  return contact === null || request === null ? null : { request, contact }
}

function stateOf(request: OptInRequestRow, now: Date): OptInState | null {
  if (request.voided_at !== null) return null
  if (request.confirmed_at !== null) return { state: 'confirmed', shopName: request.shop_name }
  return request.expires_at > now ? { state: 'open', shopName: request.shop_name } : null
}

function reaches(contact: ContactRow, request: OptInRequestRow): boolean {
  return contact.email !== null && canonicalMailbox(contact.email) === request.mailbox
}

async function saveConsent(tx: Sql, contact: ContactRow, consentAt: Date | null, now: Date): Promise<void> {
  const updatedAt = now > contact.updated_at ? now : contact.updated_at
  const after = { ...contact, marketing_consent_at: consentAt, updated_at: updatedAt }
  await updateConsent(tx, contact.shop_id, { ...after, document: contactDocument(after) })
}

function evidence(kind: 'given' | 'withdrawn', request: OptInRequestRow, from: Answerer, now: Date) {
  return {
    id: randomUUID(),
    contact_id: request.contact_id,
    kind,
    email: request.email,
    at: now,
    address: from.address,
    agent: from.agent === null ? null : from.agent.slice(0, AGENT_LENGTH_MAX),
    text_version: CONSENT_TEXT_VERSION,
    source: request.source,
  }
}

const AGENT_LENGTH_MAX = 500 // Browsers need 200; a header may hold thousands.
