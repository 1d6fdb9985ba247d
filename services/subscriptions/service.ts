// Owns the shop's memberships: what they are, how they move, and what time does to them.
// Answers: subscriptions.create, .get, .list, .renew, .payment_failed, .cancel, .resume, .end, .history, .settings,
// .change_settings. Calls: products.get, contacts.get. Owes, through the outbox: events to webhooks.ingest; it does not
// wait for webhooks, events are kept until they are taken over.
// states-and-events.md 10. Back office: the subscription rows. There is no public endpoint.
import type {
  ActionContext,
  ActionHandlers,
  RequestInfo,
  ServiceContext,
  ServiceDefinition,
  ServiceParts,
} from '#runtime/service'
import { deriveKeys } from '#config/derive-key'
import { isUuid } from '#contracts/actions/params'
import { emptyInput } from '#contracts/input/fields'
import { paymentFailureInput, subscriptionSettingsInput } from '#contracts/input/subscription'
import { type EventRelay, startEventRelay } from '#outbox/event-relay'
import { startPeriodic, type Worker } from '#runtime/worker-loop'
import { filterText, openPage, toPage, toSingle } from '#paging/page'
import { deleteOldAnswers } from '#postgres/idempotency'
import { openParams } from '#schema/open'
import { createSubscription } from './create/create.ts'
import { historyPage } from './moves/history.ts'
import { CreateSubscriptions1763600000006 } from './migrations/0001-create-subscriptions.ts'
import type { AskedMove, Move } from './moves/move.ts'
import { moveSubscription, notFound } from './moves/moves.ts'
import { findDocument, findUnrecovered, listSubscriptions, saveUnrecovered } from './queries.ts'
import { settingsDocument } from './shape.ts'
import { SubscriptionTable, TimerTable } from './tables.ts'
import { startTimers } from './timers/timers.ts'

type MoveContext = Pick<ActionContext<'subscriptions.renew'>, 'params' | 'locals'>

const HOUSEKEEPING_MS = 600_000

export const subscriptions: ServiceDefinition = {
  name: 'subscriptions',
  storage: {
    schema: 'subscriptions',
    entities: [SubscriptionTable, TimerTable],
    migrations: [CreateSubscriptions1763600000006],
  },
  needsAdminToken: false,
  dependencies: ['catalog', 'contacts'],
  schema: subscriptionsSchema,
}

function subscriptionsSchema(context: ServiceContext): ServiceParts {
  const { call, log } = context
  const db = context.database()
  let timers: Worker | null = null
  let events: EventRelay | null = null
  let rounds: Worker | null = null
  const told = async (answer: Promise<Buffer>) => {
    const body = await answer
    timers?.wake()
    events?.wake()
    return body
  }
  const move = (id: string, asked: Move, request: RequestInfo) => told(moveSubscription(db, id, asked, request))
  const moving =
    (name: Exclude<AskedMove, 'payment_failed'>) =>
    async ({ params: { id, move: body }, locals: request }: MoveContext) => {
      openParams(emptyInput, body)
      return move(id, { move: name }, request)
    }
  return {
    actions: {
      ...readHandlers(context),
      'subscriptions.create': ({ params: { subscription }, locals: request }) =>
        told(createSubscription(db, call, subscription, request)),
      'subscriptions.renew': moving('renew'),
      'subscriptions.payment_failed': async ({ params: { id, failure }, locals: request }) => {
        const { lastAttempt } = openParams(paymentFailureInput, failure)
        return move(id, { move: 'payment_failed', isLast: lastAttempt === true }, request)
      },
      'subscriptions.cancel': moving('cancel'),
      'subscriptions.resume': moving('resume'),
      'subscriptions.end': moving('end'),
    },
    async started() {
      const onTimerError = (error: unknown) => log.error({ error }, 'a timer could not be fired')
      timers = startTimers({ db, onFired: () => events?.wake(), onError: onTimerError })
      const onEventError = (error: unknown) => log.warn({ error }, 'events could not be handed over')
      const onAge = (ageS: number) => context.metrics.outboxAge.set({ schema: 'subscriptions' }, ageS)
      events = startEventRelay({ db, schema: 'subscriptions', call, onError: onEventError, onAge })
      const onRoundError = (error: unknown) => log.warn({ error }, 'old answers could not be forgotten')
      rounds = startPeriodic(HOUSEKEEPING_MS, async () => void (await deleteOldAnswers(db, new Date())), onRoundError)
    },
    async stopped() {
      await rounds?.stop()
      await timers?.stop()
      await events?.stop()
    },
  }
}

function readHandlers(context: ServiceContext): ActionHandlers {
  const db = context.database()
  const cursorKeys = deriveKeys(context.settings, 'cursor')
  return {
    async 'subscriptions.list'({ params: { limit, cursor, status }, locals: { caller } }) {
      const filter = filterText({ status })
      const want = openPage(
        { limit, cursor },
        { keys: cursorKeys, resource: 'subscriptions', shopId: caller.shopId, filter },
      )
      return toPage(await listSubscriptions(db, caller.shopId, status, want), want)
    },
    async 'subscriptions.get'({ params: { id }, locals: { caller } }) {
      const document = isUuid(id) ? await findDocument(db, caller.shopId, id) : null
      if (document === null) throw notFound()
      return toSingle(document)
    },
    'subscriptions.history': ({ params: { id, ...page }, locals: { caller } }) =>
      historyPage(db, cursorKeys, caller.shopId, id, page),
    async 'subscriptions.settings'({ locals: { caller } }) {
      return toSingle(settingsDocument(await findUnrecovered(db, caller.shopId)))
    },
    async 'subscriptions.change_settings'({ params: { settings }, locals: { caller } }) {
      const { unrecovered } = openParams(subscriptionSettingsInput, settings)
      if (unrecovered !== undefined) await saveUnrecovered(db, caller.shopId, unrecovered)
      return toSingle(settingsDocument(await findUnrecovered(db, caller.shopId)))
    },
  }
}
