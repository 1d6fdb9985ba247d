// The contacts of a shop and their marketing consents.
// Calls shop.get of auth for the name in an opt-in mail. Owes the message contact.erased to orders, through the outbox.
import { migrationsIn } from '#postgres/migrations/in-folder'
import { join } from 'node:path'
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { startPeriodic, type Worker } from '#runtime/worker-loop'
import { deriveKeys } from '#config/derive-key'
import { limits } from '#contracts/limits'
import { type Mail, openMail } from '#mail/mail'
import { senderOf } from '#mail/smtp-url'
import { startOutboxes } from '#outbox/outboxes'
import { parkedHandlers } from '#outbox/parked'
import type { Database } from '#postgres/connect'
import { deleteOldAnswers } from '#postgres/idempotency'
import { deleteShopRows } from '#postgres/shop-rows'
import { contactArchive } from './archive.ts'
import { eraseContact } from './erase.ts'
import { heldAboutPerson } from './held-about-person.ts'
import { importActions } from './import/import.ts'
import { listActions } from './list.ts'
import { linkActions } from './opt-in/links.ts'
import { oldestKept } from './opt-in/opt-in.ts'
import { deleteOldRequests } from './opt-in/queries.ts'
import { deleteSentMessages } from './queries.ts'
import { saveActions } from './save/actions.ts'
import { openBackgroundTasks } from './save/request.ts'
import { ConsentTable, ContactTable, ContactTagTable, OptInRequestTable, SuppressedMailboxTable } from './tables.ts'

export const contacts: ServiceDefinition = {
  name: 'contacts',
  storage: {
    schema: 'contacts',
    entities: [ContactTable, ContactTagTable, OptInRequestTable, ConsentTable, SuppressedMailboxTable],
    migrations: await migrationsIn(join(import.meta.dirname, 'migrations')),
  },
  needsAdminToken: false,
  dependencies: [], // Only an opt-in mail needs auth; everything else works without it.
  schema: contactsSchema,
}

const HOUSEKEEPING_MS = 60_000

function contactsSchema(context: ServiceContext): ServiceParts {
  const { call, log, settings } = context
  const db = context.database()
  const mail = openShopMail(context)
  const tasks = openBackgroundTasks(limits.mailsAtOnce)
  const cursorKeys = deriveKeys(settings, 'cursor')
  let outboxes: Worker | null = null
  let housekeeping: Worker | null = null
  return {
    actions: {
      ...listActions(context, db),
      ...saveActions({ call, log, settings, db, mail, tasks }),
      ...linkActions(db),
      ...importActions(db),
      'contacts.erase': ({ params, locals }) => eraseContact(db, params, locals, () => outboxes?.wake()),
      'contacts.data': ({ params: { id }, locals }) => heldAboutPerson(db, id, locals, () => outboxes?.wake()),
      'contacts.delete_shop': ({ params: { shop_id, for_ms } }) => deleteShopRows(db, shop_id, for_ms),
      ...contactArchive(db),
      ...parkedHandlers('contacts', { db, cursorKeys, log, wake: () => outboxes?.wake() }),
    },
    async started() {
      outboxes = startOutboxes(context, db, 'contacts')
      const onError = (error: unknown) => log.warn({ error }, 'housekeeping failed')
      housekeeping = startPeriodic(HOUSEKEEPING_MS, () => deleteExpired(db, new Date()), onError)
    },
    async stopped() {
      await housekeeping?.stop()
      await outboxes?.stop()
      await tasks.done()
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
    onRefused: (because) => metrics.mailFailures.inc({ because }),
  })
}

async function deleteExpired(db: Database, now: Date): Promise<void> {
  await deleteOldAnswers(db, now)
  await deleteSentMessages(db)
  await deleteOldRequests(db, oldestKept(now))
}
