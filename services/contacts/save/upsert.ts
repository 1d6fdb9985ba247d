// Owns what one public request about a person does: save the contact, then send the mail that asks for the consent.
// Spec: POST /contacts, rules 1 to 3. The contact is committed before the mail is tried, and the mail goes outside of any
// transaction: a mail server that is away, slow or refusing costs the mail and its time, never the contact. The signup form
// does the same with nobody waiting for the mail.
import type { Call, RequestInfo, ServiceContext } from '#runtime/service'
import { z } from 'zod'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { ActionParams } from '#contracts/actions'
import type { Mail } from '#mail/mail'
import { toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import { type Given, fromRequest } from './contact-fields.ts'
import { requestOptIn } from '../opt-in/request.ts'
import { transactOnPerson, upsertContact } from './save.ts'
import { savedContactDocument } from '../shape.ts'
import type { ContactRow } from '../tables.ts'

/** What the work needs: `house` names the shop and hears why no mail went out; `later` is what goes on after the answer. */
export type Desk = {
  context: Pick<ServiceContext, 'call' | 'log' | 'settings'>
  db: Database
  mail: Mail
  later: Later
}
/** Work that nobody waits for but the end of the process; false where there is too much of it already. */
export type Later = { add(work: () => Promise<unknown>): boolean; done(): Promise<void> }

/** Gives the body of POST /contacts. Refuses invalid_request. */
export async function upsertPerson(
  desk: Desk,
  person: ActionParams<'contacts.upsert'>,
  request: RequestInfo,
): Promise<Buffer> {
  const { caller, now } = request
  const { given, droppedTags } = fromRequest(person, caller.country)
  // Asked before anything is written: where it cannot be told nothing has happened, and the call may simply come again.
  const shopName = person.send_opt_in === true ? await shopNameOf(desk.context.call, request) : null
  const { contact, over } = await transactOnPerson(desk.db, (tx) => upsertContact(tx, caller.shopId, given, 'api', now))
  const optInSent = shopName !== null && (await sendOptIn(desk, contact, given, shopName, 'api', request))
  return toSingle(savedContactDocument(contact.document, optInSent, [...droppedTags, ...over]))
}

/**
 * Saves whoever filled in the plain form. The mail goes after the answer: the form answers the same to everybody, and how
 * long it takes must not tell who gets one either. Refuses invalid_request.
 */
export async function signUp(desk: Desk, person: ActionParams<'contacts.signup'>, request: RequestInfo): Promise<void> {
  const { caller, now } = request
  const { given } = fromRequest(person, caller.country)
  const shopName = await shopNameOf(desk.context.call, request)
  const { contact } = await transactOnPerson(desk.db, (tx) => upsertContact(tx, caller.shopId, given, 'signup', now))
  const { log } = desk.context
  const facts = { request_id: request.requestId, shop_id: caller.shopId }
  const isTaken = desk.later.add(() =>
    sendOptIn(desk, contact, given, shopName, 'signup', request).catch((error: unknown) =>
      log.error({ error, ...facts }, 'an opt-in mail was not sent'),
    ),
  )
  if (!isTaken) log.info({ ...facts, because: 'busy' }, 'no opt-in mail was sent')
}

/** Does what is added, at most so much at once; the work must not throw. */
export function openLater(most: number): Later {
  const open = new Set<Promise<unknown>>()
  return {
    add(work) {
      if (open.size >= most) return false
      const doing: Promise<unknown> = work().finally(() => open.delete(doing))
      open.add(doing)
      return true
    },
    async done() {
      await Promise.all(open)
    },
  }
}

const SHOP_MS = 1_000 // With the mail's own time it stays inside the longest that a command may work.
const shopBody = z.object({ data: z.object({ name: z.string() }) })

async function shopNameOf(call: Call, { caller, requestId }: RequestInfo): Promise<string> {
  const meta = { caller, timeoutMs: SHOP_MS, ...(requestId === null ? {} : { request_id: requestId }) }
  const body = asBuffer(await call('shop.get', {}, meta))
  return shopBody.parse(JSON.parse(body.toString())).data.name
}

async function sendOptIn(
  { context, db, mail }: Desk,
  contact: ContactRow,
  given: Given,
  shopName: string,
  source: 'api' | 'signup',
  { caller, requestId, now }: RequestInfo,
): Promise<boolean> {
  const facts = { request_id: requestId, shop_id: caller.shopId }
  // Found by phone, and known under another address: nobody has asked for mail to that one.
  if (given.email_key !== null && given.email_key !== contact.email_key) {
    context.log.info({ ...facts, because: 'other_address' }, 'no opt-in mail was sent')
    return false
  }
  const { publicUrl } = context.settings
  const call = { shopId: caller.shopId, shopName, contactId: contact.id, source, publicUrl, now }
  const outcome = await requestOptIn(db, mail, call)
  if (!outcome.sent) context.log.info({ ...facts, because: outcome.because }, 'no opt-in mail was sent')
  return outcome.sent
}
