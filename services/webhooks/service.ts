// Owns the events of all shops once they are handed over, and their delivery to the shops' receivers.
// Answers: webhooks.ingest, webhooks.forget, events.list, endpoints.*, deliveries.*, replays.*. Hints: webhooks.due,
// webhooks.deleted.
// Asks: shops.get, for the address of an owner who must be told; it does not wait for that.
// states-and-events.md 1 to 8. Back office: webhook-endpoints, deliveries, replays, GET /shops/{shop}/events.
import { migrationsIn } from '#postgres/migrations'
import { join } from 'node:path'
import { deriveKeys } from '#config/derive-key'
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { type Mail, openMail } from '#mail/mail'
import { senderOf } from '#mail/smtp-url'
import { startPeriodic, startWorker, type Worker } from '#runtime/worker-loop'
import { filterText, openPage, toPage } from '#paging/page'
import { daysFrom } from '#postgres/day-partitions'
import { deleteOldAnswers } from '#postgres/idempotency'
import { deliveryHandlers, endpointHandlers, replayHandlers } from './commands.ts'
import { openCuts } from './request/abort-registry.ts'
import { type Delivering, startDelivering } from './delivery/deliver.ts'
import { clearLines, watchEndpoints } from './notices/failing-endpoints.ts'
import { forgetOldSecrets } from './endpoints/queries.ts'
import { sealAnew } from './endpoints/endpoints.ts'
import { keepEvents, storeEvents } from './events/store.ts'
import { forgetEvents } from './events/erase.ts'
import { deleteOldForgotten } from './events/erase-queries.ts'
import { openGuards } from './request/endpoint-breakers.ts'
import { endHoldBack } from './delivery/ordering-timeout.ts'
import { openLander } from './delivery/record-results.ts'
import { openMeasures } from './delivery/metrics.ts'
import { sendNotice } from './notices/notices.ts'
import { makePace, type Pace } from './delivery/delivery-config.ts'
import type { Wire } from './request/post.ts'
import { listEvents } from './queries.ts'
import { stepReplays } from './replay/replay.ts'
import { askDns, askSystem } from './request/resolve.ts'
import { EndpointTable, EventTable } from './tables.ts'

const HOUSEKEEPING_MS = 3_600_000
const CLEARING_MS = 10_000
const WATCH_POLLS = 15 // Endpoints are looked at, and measures taken, once in so many polls.

/** What a test may have otherwise than the product. */
export type Changes = { pace?: Partial<Pace>; wire?: Partial<Wire> }

const migrations = await migrationsIn(join(import.meta.dirname, 'migrations'))

export const webhooks = makeWebhooks()

/** The service, for tests at another pace or on another wire. */
export function makeWebhooks(changes: Changes = {}): ServiceDefinition {
  return {
    name: 'webhooks',
    storage: {
      schema: 'webhooks',
      isQueue: true,
      entities: [EventTable, EndpointTable],
      migrations,
    },
    needsAdminToken: false,
    dependencies: [],
    schema: (context) => webhooksSchema(context, changes),
  }
}

function webhooksSchema(context: ServiceContext, changes: Changes): ServiceParts {
  const { settings, log } = context
  const db = context.database()
  const cursorKeys = deriveKeys(settings, 'cursor')
  const keys = deriveKeys(settings, 'webhook-secret')
  const pace = makePace(settings.webhookRetryS, changes.pace)
  const allowPrivate = settings.webhookAllowPrivate
  const wire = { pace, allowPrivate, resolve: allowPrivate ? askSystem : askDns, ...changes.wire }
  const sender = { wire, keys, tracing: context.tracing }
  const measures = openMeasures(context.metrics)
  const cuts = openCuts()
  const guards = openGuards(pace)
  const mail = openShopMail(context)
  const lander = openLander(db, pace, (error) => log.warn({ error }, 'a delivery result could not be written yet'))
  const onDue = () => context.broadcast('webhooks.due', {})
  const onDeleted = (endpointId: string) => context.broadcast('webhooks.deleted', { endpoint_id: endpointId })
  const office = { db, keys, cursorKeys, singles: { db, pace, sender, lander, cuts }, onDue, onDeleted }

  let delivering: Delivering | null = null
  const workers: Worker[] = []
  const told = (words: string) => (error: unknown) => log.warn({ error }, words)
  const keep = async () => {
    await keepEvents(db, new Date())
    await forgetOldSecrets(db)
    await deleteOldAnswers(db, new Date())
    await deleteOldForgotten(db, daysFrom(new Date(), -1))
  }

  return {
    actions: {
      async 'webhooks.ingest'({ params: { events } }) {
        await storeEvents(db, events)
        onDue()
        return {}
      },
      async 'webhooks.forget'({ params: { shop_id, body } }) {
        await forgetEvents(db, shop_id, body.events)
        onDue()
        return {}
      },
      async 'events.list'({ params: { limit, cursor, type }, locals: { caller } }) {
        const scope = { keys: cursorKeys, resource: 'events', shopId: caller.shopId, filter: filterText({ type }) }
        const want = openPage({ limit, cursor }, scope)
        return toPage(await listEvents(db, caller.shopId, type, want), want)
      },
      ...endpointHandlers(office),
      ...deliveryHandlers(office),
      ...replayHandlers(office),
    },
    events: {
      'webhooks.due': () => delivering?.wake(),
      'webhooks.deleted': (body) => cuts.cut(String((body as { endpoint_id?: unknown }).endpoint_id)),
    },
    async started() {
      if (allowPrivate) log.warn('WEBHOOK_ALLOW_PRIVATE is on: webhooks may be sent to private addresses')
      await keep()
      await sealAnew(db, keys)
      const { pollMs } = pace
      const options = { db, pace, sender, guards, lander, cuts, onAnswer: measures.answered, onClock: onClock() }
      delivering = startDelivering({ ...options, onError: told('deliveries could not be sent') })
      const works: [string, () => Promise<boolean>][] = [
        ['held back events could not be let go', () => endHoldBack(db, pace)],
        ['replays could not go on', goOn],
        [
          'a notice could not be sent',
          () => sendNotice({ db, call: context.call, mail, publicUrl: settings.publicUrl }),
        ],
      ]
      for (const [words, round] of works) workers.push(startWorker({ pollMs, round, onError: told(words) }))
      const watch = async () => {
        await watchEndpoints(db, pace)
        await clearLines(db, CLEARING_MS)
        await measures.look(db)
      }
      workers.push(startPeriodic(pollMs * WATCH_POLLS, watch, told('endpoints could not be watched')))
      workers.push(startPeriodic(HOUSEKEEPING_MS, keep, told('what is old could not be dropped')))
    },
    async stopped() {
      const running = [...workers, ...(delivering === null ? [] : [delivering])]
      await Promise.all(running.map((one) => one.stop()))
      cuts.cutAll()
      guards.close()
      await mail.close()
    },
  }

  async function goOn(): Promise<boolean> {
    const steps = await stepReplays(db, pace)
    if (steps > 0) onDue()
    return false
  }

  function onClock() {
    let isTold = false
    return (aheadMs: number) => {
      measures.clock(aheadMs)
      const isWrong = Math.abs(aheadMs) > 30_000
      if (isWrong && !isTold) log.warn({ ahead_ms: Math.round(aheadMs) }, 'the clock of this machine is wrong')
      isTold = isWrong
    }
  }
}

function openShopMail({ settings }: ServiceContext): Mail {
  return openMail({
    smtpUrl: settings.smtpUrl,
    mailDir: join(settings.dataDir, 'mail'),
    from: senderOf(settings.smtpUrl, settings.publicUrl),
  })
}
