// Owns the shop's contact list and the consents of its people.
// Answers: contacts.list, contacts.get, contacts.upsert, contacts.tag, contacts.signup, contacts.opt_in_*, contacts.save,
// contacts.erase, contacts.match, contacts.match_all, contacts.known, contacts.import. Owes: contact.erased.
// Asks: shop.get, for the name in a mail.
// Spec: GET /contacts, GET /contacts/{id}, POST /contacts, POST /contacts/{id}/tags. Back office: POST
// /shops/{shop}/contacts, imports. Double opt-in: states-and-events.md 11.
import type { ActionHandlers, ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { join } from 'node:path'
import { deriveKeys } from '#config/derive-key'
import { startPeriodic, type Worker } from '#runtime/worker-loop'
import type { ActionName } from '#contracts/actions'
import { contactInput } from '#contracts/input/contact'
import { emptyInput } from '#contracts/input/fields'
import { refuse } from '#contracts/errors'
import { limits } from '#contracts/limits'
import { isUuid } from '#contracts/actions/params'
import { type Mail, openMail } from '#mail/mail'
import { senderOf } from '#mail/smtp-url'
import { type MessageRelay, startMessageRelay } from '#outbox/messages'
import { toPackedPage } from '#paging/list'
import { filterText, openPage, toSingle } from '#paging/page'
import { type Database } from '#postgres/connect'
import { listReferences } from '#postgres/external-reference'
import { deleteOldAnswers, once } from '#postgres/idempotency'
import { listPageVersions } from '#postgres/page-version'
import { emailKey, normaliseEmail } from '#person/person'
import { openParams } from '#schema/open'
import { eraseContact } from './erase.ts'
import { fromBackOffice } from './save/contact-fields.ts'
import { importBatch } from './import/import.ts'
import { CreateContacts1763600000001 } from './migrations/0001-create-contacts.ts'
import { CreateOptIns1763600000002 } from './migrations/0002-create-opt-ins.ts'
import { CreateImportBatches1763600000031 } from './migrations/0003-create-import-batches.ts'
import { CreateOutbox1763600000041 } from './migrations/0004-create-outbox.ts'
import { CreatePageVersions1763600000051 } from './migrations/0005-create-page-versions.ts'
import { IndexChanges1763600000060 } from './migrations/0006-index-changes.ts'
import { digestToken, forgottenBefore } from './opt-in/opt-in.ts'
import { confirmOptIn, findOptIn, findSender, suppress } from './opt-in/answer.ts'
import { forgetRequests } from './opt-in/queries.ts'
import { ConsentTable, OptInRequestTable, SuppressedMailboxTable } from './opt-in/tables.ts'
import { matchPeople, matchPerson } from './save/match.ts'
import {
  deleteSentMessages,
  findContactDocument,
  listContacts,
  listContactsByEmail,
  listContactsByTag,
} from './queries.ts'
import { saveContact, tagContact, transactOnPerson } from './save/save.ts'
import { ContactTable, ContactTagTable } from './tables.ts'
import { normaliseTag, normaliseTags } from './save/tags.ts'
import { type Desk, openLater, signUp, upsertPerson } from './save/upsert.ts'

export const contacts: ServiceDefinition = {
  name: 'contacts',
  storage: {
    schema: 'contacts',
    entities: [ContactTable, ContactTagTable, OptInRequestTable, ConsentTable, SuppressedMailboxTable],
    migrations: [
      CreateContacts1763600000001,
      CreateOptIns1763600000002,
      CreateImportBatches1763600000031,
      CreateOutbox1763600000041,
      CreatePageVersions1763600000051,
      IndexChanges1763600000060,
    ],
  },
  needsAdminToken: false,
  dependencies: [], // A mail waits for the name of the shop; everything else is served without it.
  schema: contactsSchema,
}

const HOUSEKEEPING_MS = 60_000

function contactsSchema(context: ServiceContext): ServiceParts {
  const db = context.database()
  const mail = openShopMail(context)
  const later = openLater(limits.mailsAtOnce)
  let housekeeping: Worker | null = null
  let relay: MessageRelay | null = null
  return {
    actions: {
      ...readHandlers(context, db),
      ...requestHandlers({ context, db, mail, later }),
      ...linkHandlers(db),
      ...backOfficeHandlers(db, () => relay?.wake()),
    },
    async started() {
      const onError = (error: unknown) => context.log.warn({ error }, 'housekeeping failed')
      const told = (error: unknown) => context.log.warn({ error }, 'a message was not handed over')
      const call = (action: string, message: unknown) => context.call(action as ActionName, message as never)
      relay = startMessageRelay({ db, schema: 'contacts', call, onError: told })
      housekeeping = startPeriodic(HOUSEKEEPING_MS, () => forget(db, new Date()), onError)
    },
    async stopped() {
      await housekeeping?.stop()
      await relay?.stop()
      await later.done()
      await mail.close()
    },
  }
}

function openShopMail({ settings, metrics }: ServiceContext): Mail {
  return openMail({
    smtpUrl: settings.smtpUrl,
    mailDir: join(settings.dataDir, 'mail'),
    from: senderOf(settings.smtpUrl, settings.publicUrl),
    onBreaker: (state) => metrics.breakers.set({ action: 'smtp' }, state),
  })
}

async function forget(db: Database, now: Date): Promise<void> {
  await deleteOldAnswers(db, now)
  await deleteSentMessages(db) // They name whom the others had to forget.
  await forgetRequests(db, forgottenBefore(now))
}

function readHandlers(context: ServiceContext, db: Database): ActionHandlers {
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  return {
    async 'contacts.versions'({ params: { shop_ids } }) {
      return listPageVersions(db.reads, shop_ids)
    },
    async 'contacts.list'({ params: { limit, cursor, tag, email, ...rest }, locals: { caller } }) {
      const filter = {
        ...rest,
        tag: tag === undefined ? undefined : storedTag(tag),
        email_key: email === undefined ? undefined : emailKey(normaliseEmail(email) ?? email),
      }
      const scope = { keys: cursorKeys, resource: 'contacts', shopId: caller.shopId, filter: filterText(filter) }
      const want = openPage({ limit, cursor }, scope)
      const rows = hasEmail(filter)
        ? await listContactsByEmail(db.reads, caller.shopId, filter, want)
        : hasTag(filter)
          ? await listContactsByTag(db.reads, caller.shopId, filter, want)
          : await listContacts(db.reads, caller.shopId, filter, want)
      return toPackedPage(rows, want)
    },
    async 'contacts.get'({ params: { id }, locals: { caller } }) {
      const document = isUuid(id) ? await findContactDocument(db.reads, caller.shopId, id) : null
      if (document === null) throw noContact()
      return toSingle(document)
    },
  }
}

function requestHandlers(desk: Desk): ActionHandlers {
  const { db } = desk
  return {
    'contacts.upsert': ({ params: person, locals: call }) => upsertPerson(desk, person, call),
    async 'contacts.signup'({ params: person, locals: call }) {
      await signUp(desk, person, call)
      return {}
    },
    async 'contacts.tag'({ params: { id, add, remove }, locals: { caller, now } }) {
      const come = normaliseTags(add ?? [])
      const gone = normaliseTags(remove ?? [])
      if (come.length + gone.length === 0) {
        throw refuse('invalid_request', 'add or remove must hold at least one tag.', { field: 'add' })
      }
      const contact = isUuid(id)
        ? await db.transaction((tx) => tagContact(tx, caller.shopId, id, come, gone, now))
        : null
      if (contact === null) throw noContact()
      return toSingle(contact.document)
    },
  }
}

// A text that cannot be a token is answered like a token that nobody was sent.
function linkHandlers(db: Database): ActionHandlers {
  const withDigest = async <Answer>(token: string, work: (digest: Buffer) => Promise<Answer>) => {
    const digest = digestToken(token)
    return digest === null ? null : work(digest)
  }
  return {
    'contacts.opt_in_find': ({ params: { token }, locals: { now } }) =>
      withDigest(token, (digest) => findOptIn(db, digest, now)),
    'contacts.opt_in_confirm': ({ params: { token, ...from }, locals: { now } }) =>
      withDigest(token, (digest) => confirmOptIn(db, digest, from, now)),
    'contacts.opt_in_sender': ({ params: { token } }) => withDigest(token, (digest) => findSender(db, digest)),
    'contacts.opt_in_suppress': ({ params: { token, ...from }, locals: { now } }) =>
      withDigest(token, (digest) => suppress(db, digest, from, now)),
  }
}

function backOfficeHandlers(db: Database, onErased: () => void): ActionHandlers {
  return {
    async 'contacts.save'({ params: { contact }, locals: { caller, idempotency, now } }) {
      const given = fromBackOffice(openParams(contactInput, contact), caller.country, now)
      const answer = await transactOnPerson(db, (tx) =>
        once(tx, caller.shopId, idempotency, now, async () => {
          const saved = await saveContact(tx, caller.shopId, given, now)
          return sealed(saved.created, toSingle(saved.contact.document))
        }),
      )
      return opened(answer)
    },
    async 'contacts.erase'({ params: { id, erasure }, locals: call }) {
      openParams(emptyInput, erasure)
      const answer = await eraseContact(db, id, call)
      onErased()
      return answer
    },
    'contacts.match': ({ params: person, locals: { caller } }) =>
      matchPerson(db, caller.shopId, person, caller.country),
    'contacts.match_all': ({ params: { people }, locals: { caller } }) =>
      matchPeople(db, caller.shopId, people, caller.country),
    async 'contacts.known'({ params: { source, keys }, locals: { caller } }) {
      const rows = await listReferences(db, caller.shopId, { source, kind: 'contact', keys })
      return { ids: Object.fromEntries(rows.map(({ key, object_id }) => [key, object_id])) }
    },
    'contacts.import': ({ params: batch, locals: { caller, now } }) => importBatch(db, batch, caller, now),
  }
}

function noContact() {
  return refuse('not_found', 'No contact with that id in this shop.')
}

// What a repeated call answers must say as well whether the first one made the contact: one byte before the body.
function sealed(created: boolean, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([created ? 1 : 0]), body])
}

function opened(answer: Buffer): { created: boolean; body: Buffer } {
  return { created: answer[0] === 1, body: answer.subarray(1) }
}

function storedTag(tag: string): string {
  const stored = normaliseTag(tag)
  if (stored === null) throw refuse('invalid_request', 'tag holds nothing that a tag could be.', { field: 'tag' })
  return stored
}

function hasTag<Filter extends { tag?: string | undefined }>(filter: Filter): filter is Filter & { tag: string } {
  return filter.tag !== undefined
}

function hasEmail<Filter extends { email_key?: string | undefined }>(
  filter: Filter,
): filter is Filter & { email_key: string } {
  return filter.email_key !== undefined
}
