// What contacts hold about one person: the contact, its consents with their evidence, opt-in mails, a suppressed mailbox, and what imports
// kept about it. The audit entry that says who took it is written in the same transaction. docs/spec/back-office.md#the-data-of-one-person
import { recordDone } from '#audit/command'
import type { ContactsAnswer, Person } from '#contracts/actions/person-data'
import type { HeldByContacts } from '#contracts/person-data'
import { isUuid } from '#contracts/actions/params'
import { listReferencesOf } from '#postgres/import/external-reference'
import type { Database, Sql } from '#postgres/connect'
import type { RequestInfo } from '#runtime/service'
import { noContact } from './list.ts'
import { canonicalMailbox, mailboxDigest } from './opt-in/opt-in.ts'
import { findSuppression, listConsents, listRequests, lockContact } from './opt-in/queries.ts'
import { findErasedPerson } from './queries.ts'
import { toContact } from './shape.ts'
import type { ConsentRow, ContactRow, OptInRequestRow } from './tables.ts'

/**
 * Answers the action contacts.data; `onTaken` follows the commit. An erased contact is answered until the message that erases its orders is
 * gone. Refuses not_found for any other contact that is not there.
 */
export async function heldAboutPerson(
  db: Database,
  id: string,
  request: RequestInfo,
  onTaken: () => void,
): Promise<ContactsAnswer> {
  const { shopId } = request.caller
  const answer = await db.transaction(async (tx) => {
    const held = isUuid(id) ? await readPerson(tx, shopId, id.toLowerCase()) : null
    if (held === null) throw noContact()
    await recordDone(tx, request, { before: null, after: null }, { objectId: held.person.contact_id })
    return held
  })
  onTaken()
  return answer
}

async function readPerson(tx: Sql, shopId: string, id: string): Promise<ContactsAnswer | null> {
  const contact = await lockContact(tx, shopId, id) // So that no erasure begins while it is read.
  if (contact === null) {
    const message = await findErasedPerson(tx, shopId, id)
    if (message === null) return null
    const person = JSON.parse(message.body) as Person
    return { person, erasure: message.sent_at === null ? 'under_way' : 'done', body: bodyOf(nothingHeld) }
  }
  const held: HeldByContacts = {
    contact: { ...toContact(contact), privateNote: contact.private_note },
    consents: (await listConsents(tx, shopId, id)).map(toConsent),
    optInMails: (await listRequests(tx, shopId, id)).map(toOptInMail),
    suppressedMailbox: await readSuppression(tx, contact),
    imports: (await listReferencesOf(tx, shopId, [id])).map(({ source, key, told }) => ({ source, key, result: told })),
  }
  const { email_key, phone } = contact
  return { person: { contact_id: id, email_key, phone }, erasure: 'none', body: bodyOf(held) }
}

const nothingHeld: HeldByContacts = {
  contact: null,
  consents: [],
  optInMails: [],
  suppressedMailbox: null,
  imports: [],
}

function bodyOf(held: HeldByContacts): Buffer {
  return Buffer.from(JSON.stringify(held))
}

async function readSuppression(tx: Sql, { shop_id, email }: ContactRow): Promise<HeldByContacts['suppressedMailbox']> {
  if (email === null) return null
  const since = await findSuppression(tx, shop_id, mailboxDigest(canonicalMailbox(email)))
  return since === null ? null : { since: since.toISOString() }
}

function toConsent(row: ConsentRow): HeldByContacts['consents'][number] {
  return {
    id: row.id,
    kind: row.kind,
    email: row.email,
    at: row.at.toISOString(),
    address: row.address,
    agent: row.agent,
    textVersion: row.text_version,
    source: row.source,
  }
}

function toOptInMail(row: OptInRequestRow): HeldByContacts['optInMails'][number] {
  return {
    id: row.id,
    email: row.email,
    shopName: row.shop_name,
    source: row.source,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    sentAt: row.sent_at?.toISOString() ?? null,
    confirmedAt: row.confirmed_at?.toISOString() ?? null,
    voidedAt: row.voided_at?.toISOString() ?? null,
  }
}
