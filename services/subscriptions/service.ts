// The subscriptions service: the memberships of a shop, their moves, and what time does to them. Only the back office calls it.
// docs/spec/back-office.md#subscriptions
// Through its outbox it owes all events to webhooks and audit entries to auth. Both are kept until they are stored there, so neither
// is a dependency.
import { command } from '#audit/command'
import { join } from 'node:path'
import { migrationsIn } from '#postgres/migrations/in-folder'
import { deriveKeys } from '#config/derive-key'
import { isUuid } from '#contracts/actions/params'
import { deleteSentMessages } from '#outbox/messages'
import { startOutboxes } from '#outbox/outboxes'
import { parkedHandlers } from '#outbox/parked'
import { numberedPage } from '#paging/numbered-page'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import type { Sql } from '#postgres/connect'
import { deleteOldAnswers } from '#postgres/idempotency'
import { deleteShopRows } from '#postgres/shop-rows'
import type {
  ActionContext,
  ActionHandlers,
  RequestInfo,
  ServiceContext,
  ServiceDefinition,
  ServiceParts,
} from '#runtime/service'
import { startPeriodic, type Worker } from '#runtime/worker-loop'
import { subscriptionArchive } from './archive/archive.ts'
import { createSubscription } from './create/create-subscription.ts'
import { exportSubscriptions, importExportedSubscriptions } from './import/exported-subscriptions.ts'
import { moveSubscription, notFound } from './moves/move-subscription.ts'
import { findUnrecovered, listHistory, saveUnrecovered } from './moves/queries.ts'
import type { Move } from './moves/transitions.ts'
import { pageOfPerson } from './held-about-person.ts'
import { findDocument, listSubscriptions } from './queries.ts'
import { historyDocument, settingsDocument } from './shape.ts'
import { type RequestedMove, SubscriptionTable, TimerTable } from './tables.ts'
import { startTimers } from './timers/timers.ts'

type MoveContext = Pick<ActionContext<'subscriptions.renew'>, 'params' | 'locals'>

const HOUSEKEEPING_MS = 600_000

export const subscriptions: ServiceDefinition = {
  name: 'subscriptions',
  storage: {
    schema: 'subscriptions',
    isByIndex: true,
    entities: [SubscriptionTable, TimerTable],
    migrations: await migrationsIn(join(import.meta.dirname, 'migrations')),
  },
  needsAdminToken: false,
  dependencies: [],
  optionalDependencies: ['catalog', 'contacts'], // For a new subscription; everything else works without them.
  schema: subscriptionsSchema,
}

function subscriptionsSchema(context: ServiceContext): ServiceParts {
  const { call, log } = context
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  const db = context.database()
  let timers: Worker | null = null
  let outboxes: Worker | null = null
  let housekeeping: Worker | null = null
  const committed = (answer: Buffer) => {
    timers?.wake()
    outboxes?.wake()
    return answer
  }
  const move = async (id: string, requested: Move, request: RequestInfo) =>
    committed(await moveSubscription(db, id, requested, request))
  const moveWithoutBody =
    (name: Exclude<RequestedMove, 'payment_failed'>) =>
    async ({ params: { id }, locals: request }: MoveContext) =>
      move(id, { move: name }, request)
  return {
    actions: {
      ...readHandlers(context),
      'subscriptions.delete_shop': ({ params: { shop_id, for_ms } }) => deleteShopRows(db, shop_id, for_ms),
      ...subscriptionArchive(db),
      ...parkedHandlers('subscriptions', { db, cursorKeys, log, wake: () => outboxes?.wake() }),
      async 'subscriptions.create'({ params: { subscription }, locals: request }) {
        return committed(await createSubscription(db, call, subscription, request))
      },
      'subscriptions.renew': moveWithoutBody('renew'),
      async 'subscriptions.payment_failed'({ params: { id, failure }, locals: request }) {
        return move(id, { move: 'payment_failed', isLast: failure.lastAttempt === true }, request)
      },
      'subscriptions.cancel': moveWithoutBody('cancel'),
      'subscriptions.resume': moveWithoutBody('resume'),
      'subscriptions.end': moveWithoutBody('end'),
      async 'subscriptions.import_objects'({ params: batch, locals: { caller, now } }) {
        const results = await importExportedSubscriptions(db, batch, caller, now)
        timers?.wake()
        return results
      },
      async 'subscriptions.change_settings'({
        params: {
          settings: { unrecovered },
        },
        locals: request,
      }) {
        const { shopId } = request.caller
        const document = async (tx: Sql) => settingsDocument(await findUnrecovered(tx, shopId))
        const answer = await db.transaction((tx) =>
          command(tx, request, async () => {
            const before = await document(tx)
            if (unrecovered !== undefined) await saveUnrecovered(tx, shopId, unrecovered)
            return { before, after: await document(tx) }
          }),
        )
        return committed(answer)
      },
    },
    async started() {
      const warn = (message: string) => (error: unknown) => log.warn({ error }, message)
      const onTimerError = (error: unknown) => log.error({ error }, 'a timer could not be fired')
      timers = startTimers({ db, onFired: () => outboxes?.wake(), onError: onTimerError })
      outboxes = startOutboxes(context, db, 'subscriptions')
      const deleteOld = async () => {
        await deleteOldAnswers(db, new Date())
        await deleteSentMessages(db)
      }
      housekeeping = startPeriodic(HOUSEKEEPING_MS, deleteOld, warn('housekeeping failed'))
    },
    async stopped() {
      await housekeeping?.stop()
      await timers?.stop()
      await outboxes?.stop()
    },
  }
}

function readHandlers(context: ServiceContext): ActionHandlers {
  const db = context.database()
  const keys = deriveKeys(context.settings, 'cursor')
  return {
    async 'subscriptions.list'({ params: { limit, cursor, status }, locals: { caller } }) {
      const { shopId } = caller
      const scope = { keys, resource: 'subscriptions', shopId, filter: filterText({ status }) }
      const page = openPage({ limit, cursor }, scope)
      return toPage(await listSubscriptions(db, shopId, status, page), page)
    },
    async 'subscriptions.export'({ params: { limit, cursor, status }, locals: { caller } }) {
      const { shopId } = caller
      const scope = { keys, resource: 'exported subscriptions', shopId, filter: filterText({ status }) }
      return exportSubscriptions(db, shopId, status, openPage({ limit, cursor }, scope))
    },
    async 'subscriptions.get'({ params: { id }, locals: { caller } }) {
      const document = isUuid(id) ? await findDocument(db, caller.shopId, id) : null
      if (document === null) throw notFound()
      return toSingle(document)
    },
    async 'subscriptions.history'({ params: { id, ...page }, locals: { caller } }) {
      const { shopId } = caller
      if (!isUuid(id) || (await findDocument(db, shopId, id)) === null) throw notFound()
      const scope = { keys, resource: 'subscription_history', shopId, filter: filterText({ id: id.toLowerCase() }) }
      const list = (before: number, rowsMax: number) => listHistory(db, shopId, id, before, rowsMax)
      return numberedPage(page, scope, list, historyDocument)
    },
    async 'subscriptions.of_person'({ params: { contact_id, after }, locals: { caller } }) {
      return pageOfPerson(db, caller.shopId, contact_id, after)
    },
    async 'subscriptions.settings'({ locals: { caller } }) {
      return toSingle(settingsDocument(await findUnrecovered(db, caller.shopId)))
    },
  }
}
