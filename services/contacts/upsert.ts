// Owns what one public request about a person does: save the contact, then send the mail that asks for the consent.
// Spec: POST /contacts, rules 1 to 3. The contact is committed before the mail is tried, and the mail goes outside of any
// transaction: a mail server that is away, slow or refusing costs the mail and its time, never the contact.
import { z } from 'zod'
import type { Call } from '#broker/answer'
import type { Ask, House } from '#broker/house'
import { asBuffer } from '#broker/parts'
import type { ActionParams } from '#contracts/actions'
import type { Mail } from '#mail/mail'
import { toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import { type Given, fromRequest } from './given.ts'
import { requestOptIn } from './opt-in-request.ts'
import { transactOnPerson, upsertContact } from './save.ts'
import { savedContactDocument } from './shape.ts'
import type { ContactRow } from './tables.ts'

/** What the work needs: `house` names the shop and hears why no mail went out. */
export type Desk = { house: Pick<House, 'ask' | 'log' | 'settings'>; db: Database; mail: Mail }

/** Gives the body of POST /contacts. `source` is the door. Refuses invalid_request. */
export async function upsertPerson(
  desk: Desk,
  person: ActionParams<'contacts.upsert'>,
  source: 'api' | 'signup',
  call: Call,
): Promise<Buffer> {
  const { caller, now } = call
  const { given, droppedTags } = fromRequest(person, caller.country)
  // Asked before anything is written: where it cannot be told nothing has happened, and the call may simply come again.
  const shopName = person.send_opt_in === true ? await shopNameOf(desk.house.ask, call) : null
  const { contact, over } = await transactOnPerson(desk.db, (tx) =>
    upsertContact(tx, caller.shopId, given, source, now),
  )
  const optInSent = shopName !== null && (await sendOptIn(desk, contact, given, shopName, source, call))
  return toSingle(savedContactDocument(contact.document, optInSent, [...droppedTags, ...over]))
}

const SHOP_MS = 1_000 // With the mail's own time it stays inside the longest that a command may work.
const shopBody = z.object({ data: z.object({ name: z.string() }) })

async function shopNameOf(ask: Ask, { caller, requestId }: Call): Promise<string> {
  const meta = { caller, timeoutMs: SHOP_MS, ...(requestId === null ? {} : { request_id: requestId }) }
  const body = asBuffer(await ask('shop.get', {}, meta))
  return shopBody.parse(JSON.parse(body.toString())).data.name
}

async function sendOptIn(
  { house, db, mail }: Desk,
  contact: ContactRow,
  given: Given,
  shopName: string,
  source: 'api' | 'signup',
  { caller, requestId, now }: Call,
): Promise<boolean> {
  const facts = { request_id: requestId, shop_id: caller.shopId }
  // Found by phone, and known under another address: nobody has asked for mail to that one.
  if (given.email_key !== null && given.email_key !== contact.email_key) {
    house.log.info({ ...facts, because: 'other_address' }, 'no opt-in mail was sent')
    return false
  }
  const { publicUrl } = house.settings
  const ask = { shopId: caller.shopId, shopName, contactId: contact.id, source, publicUrl, now }
  const outcome = await requestOptIn(db, mail, ask)
  if (!outcome.sent) house.log.info({ ...facts, because: outcome.because }, 'no opt-in mail was sent')
  return outcome.sent
}
