// The public requests about a person: saves the contact, then sends the opt-in mail. docs/spec/rest-api.md#save-a-contact,
// docs/spec/double-opt-in.md#requesting-the-mail
// The contact is committed before the mail is sent, and the mail is sent outside of any transaction, so that an outage of the
// mail server costs the mail and its time, never the contact.
import { z } from 'zod'
import type { Call, RequestInfo, ServiceContext } from '#runtime/service'
import { asBuffer } from '#runtime/middlewares/large-response'
import type { ActionParams } from '#contracts/actions'
import { limits } from '#contracts/limits'
import type { Mail } from '#mail/mail'
import { toSingle } from '#paging/page'
import type { Database } from '#postgres/connect'
import { type Answer, answerOnce, type KeptAnswer } from '#postgres/idempotency'
import { settleAnswer, settledAnswer } from '#postgres/pending-answer'
import { sendOptIn } from '../opt-in/send.ts'
import { savedContactDocument } from '../shape.ts'
import type { ContactRow } from '../tables.ts'
import { type ContactFields, fromRequest, ignoredFields, type PersonFields } from './contact-fields.ts'
import { changeOnPerson, type Upserted, upsertContact } from './save.ts'
import { savePerson } from './save-directly.ts'

export type RequestContext = Pick<ServiceContext, 'call' | 'log' | 'settings'> & {
  db: Database
  mail: Mail
  tasks: BackgroundTasks
}
/** Tasks that run after the answer. `start` returns false, and does nothing, where too many run already. */
export type BackgroundTasks = { start(task: () => Promise<unknown>): boolean; done(): Promise<void> }

type Saved = { contact: ContactRow; answer(optInSent: boolean): Answer }

const SHOP_MS = 1_000 // Together with the time limit of a mail this stays below `commandMs`.
const PENDING_MS = limits.mailMs + 500 // The mail and the statements around it; with `SHOP_MS` still below `commandMs`.
const shopBody = z.object({ data: z.object({ name: z.string() }) })

/**
 * The body of POST /contacts. Refuses invalid_request, and conflict for an Idempotency-Key of another request. With a mail the answer is
 * kept as pending, as if no mail had gone out, until the outcome of the mail is known; a repeated call waits for it and sends no mail.
 */
export async function upsertPerson(
  context: RequestContext,
  person: ActionParams<'contacts.upsert'>,
  request: RequestInfo,
): Promise<Buffer> {
  const { caller, idempotency, now } = request
  const { shopId } = caller
  const { fields, droppedTags } = fromRequest(person, caller.country)
  // Read before anything is written: where auth cannot be reached nothing has changed, and the call can be repeated.
  const shopName = person.send_opt_in === true ? await readShopName(context.call, request) : null
  const pendingMs = shopName === null ? null : PENDING_MS
  const savedOf = ({ contact, overflow }: Upserted): Saved => {
    const notes = { droppedTags: [...droppedTags, ...overflow], ignored: ignoredFields(fields, contact) }
    const bodyOf = (optInSent: boolean) => toSingle(savedContactDocument(contact.document, { optInSent, ...notes }))
    return { contact, answer: (optInSent) => ({ body: bodyOf(optInSent), created: null }) }
  }
  const { kept, saved } = await saveOnce(context.db, fields, request, pendingMs, savedOf)
  if (saved === undefined && idempotency !== null && kept.isPending) {
    return (await settledAnswer(context.db, shopId, idempotency, now)).body
  }
  if (saved === undefined || shopName === null) return kept.body
  const settle = (optInSent: boolean) => settleAnswer(context.db, shopId, idempotency, now, saved.answer(optInSent))
  try {
    const optInSent = await mailTo(context, saved.contact, fields, shopName, 'api', request)
    return (await settle(optInSent)).body
  } catch (error) {
    await settle(false) // So that a repeated call need not wait.
    throw error
  }
}

/** Saves the person once for the Idempotency-Key. `saved`: undefined where the answer was kept. */
async function saveOnce(
  db: Database,
  fields: PersonFields,
  { caller: { shopId }, idempotency, now }: RequestInfo,
  pendingMs: number | null,
  savedOf: (upserted: Upserted) => Saved,
): Promise<{ kept: KeptAnswer; saved: Saved | undefined }> {
  if (idempotency === null) {
    const saved = savedOf(await savePerson(db, shopId, fields, 'api'))
    return { kept: { ...saved.answer(false), isPending: false }, saved }
  }
  return changeOnPerson(db, shopId, async (tx, stamp) => {
    const saves: Saved[] = []
    const save = async () => {
      const saved = savedOf(await upsertContact(tx, shopId, fields, 'api', stamp))
      saves.push(saved)
      return saved.answer(false)
    }
    return { kept: await answerOnce(tx, shopId, idempotency, now, save, pendingMs), saved: saves[0] }
  })
}

/** Saves the person of the signup form; the mail is sent after the answer. Refuses invalid_request. */
export async function signUp(
  context: RequestContext,
  person: ActionParams<'contacts.signup'>,
  request: RequestInfo,
): Promise<void> {
  const { caller } = request
  const { fields } = fromRequest(person, caller.country)
  const shopName = await readShopName(context.call, request)
  const { contact } = await savePerson(context.db, caller.shopId, fields, 'signup')
  const { log } = context
  const facts = { request_id: request.requestId, shop_id: caller.shopId }
  const isStarted = context.tasks.start(() =>
    mailTo(context, contact, fields, shopName, 'signup', request).catch((error: unknown) =>
      log.error({ error, ...facts }, 'an opt-in mail was not sent'),
    ),
  )
  if (!isStarted) log.info({ ...facts, because: 'busy' }, 'no opt-in mail was sent')
}

/** At most `most` tasks at once; a task must not throw. */
export function openBackgroundTasks(most: number): BackgroundTasks {
  const running = new Set<Promise<unknown>>()
  return {
    start(task) {
      if (running.size >= most) return false
      const run: Promise<unknown> = task().finally(() => running.delete(run))
      running.add(run)
      return true
    },
    async done() {
      await Promise.all(running)
    },
  }
}

async function readShopName(call: Call, { meta: { claim, request_id } }: RequestInfo): Promise<string> {
  const body = asBuffer(await call('shop.get', {}, { claim, request_id, timeoutMs: SHOP_MS }))
  return shopBody.parse(JSON.parse(body.toString())).data.name
}

async function mailTo(
  { settings, log, db, mail }: RequestContext,
  contact: ContactRow,
  fields: ContactFields,
  shopName: string,
  source: 'api' | 'signup',
  { caller, requestId, now }: RequestInfo,
): Promise<boolean> {
  const facts = { request_id: requestId, shop_id: caller.shopId }
  // docs/spec/double-opt-in.md#whose-address
  if (fields.email_key !== null && fields.email_key !== contact.email_key) {
    log.info({ ...facts, because: 'other_address' }, 'no opt-in mail was sent')
    return false
  }
  const order = { shopId: caller.shopId, shopName, contactId: contact.id, source, publicUrl: settings.publicUrl, now }
  const outcome = await sendOptIn(db, mail, order)
  if (!outcome.sent) log.info({ ...facts, because: outcome.because }, 'no opt-in mail was sent')
  return outcome.sent
}
