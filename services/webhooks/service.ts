// The webhooks service: stores the events of all services, and delivers them to the endpoints of the shops (docs/spec/webhooks.md).
//
// It answers webhooks.ingest, webhooks.forget, events.*, endpoints.*, deliveries.*, replays.* and the commands for its parked messages.
// It broadcasts events.stored, and listens to webhooks.due (a delivery may be due), webhooks.deleted (abort the attempts to an
// endpoint) and shops.watched (publish attempts of these shops in shops.seen). It calls shops.get for the address of an owner, and
// starts without it. Through its outbox it owes audit entries to auth. The delivery protocol is described in delivery/worker.ts.
import { join } from 'node:path'
import type { Context } from 'moleculer'
import { deriveKeys, isOutdated, keyIdOf, secretIdOf } from '#config/derive-key'
import { openLiveSource } from '#live/source'
import { type Mail, openMail } from '#mail/mail'
import { senderOf } from '#mail/smtp-url'
import { deleteSentMessages } from '#outbox/messages'
import { startOutboxes } from '#outbox/outboxes'
import { parkedHandlers } from '#outbox/parked'
import { daysFrom } from '#postgres/partitions'
import { deleteOldAnswers } from '#postgres/idempotency'
import { migrationsIn } from '#postgres/migrations/in-folder'
import type { ServiceContext, ServiceDefinition, ServiceParts } from '#runtime/service'
import { startPeriodic, startWorker, type Worker } from '#runtime/worker-loop'
import { resolveByDns, resolveBySystem } from '#webhook-request/address'
import type { HttpOptions } from '#webhook-request/post'
import { webhookArchive } from './archive/archive.ts'
import { deliveryHandlers } from './delivery/actions.ts'
import { type DeliveryConfig, makeDeliveryConfig } from './delivery/delivery-config.ts'
import { publishAttempts } from './delivery/live.ts'
import { openDeliveryMetrics } from './delivery/metrics.ts'
import { openResultRecorder } from './delivery/record-results.ts'
import { endOrderingTimeouts, skipAbandonedQueues } from './delivery/sweeps.ts'
import { type DeliveryWorker, startDeliveryWorker } from './delivery/worker.ts'
import { endpointHandlers } from './endpoints/actions.ts'
import { resealSecrets } from './endpoints/endpoints.ts'
import { clearExpiredSecrets, countSecrets } from './endpoints/queries.ts'
import { eventHandlers } from './events/actions.ts'
import { eraseEvents } from './events/erase.ts'
import { deleteExpiredErasures } from './events/queries.ts'
import { applyRetention, storeEvents } from './events/store.ts'
import { checkFailingEndpoints, sendNotice } from './notices/notices.ts'
import { replayHandlers } from './replay/actions.ts'
import { advanceReplays } from './replay/replay.ts'
import { openAbortRegistry } from './request/abort-registry.ts'
import { EndpointTable, EventTable } from './tables.ts'

const RETENTION_MS = 3_600_000
const SKIP_MS = 10_000
const RESEAL_MS = 10_000
const SENT_MAX = 100 // Statements, which delete a thousand sent messages each.
const POLLS_PER_WATCH = 15
const CLOCK_WARNING_MS = 30_000

/** Options for tests. */
export type Overrides = { config?: Partial<DeliveryConfig>; http?: Partial<HttpOptions> }

const migrations = await migrationsIn(join(import.meta.dirname, 'migrations'))

export const webhooks = makeWebhooks()

export function makeWebhooks(overrides: Overrides = {}): ServiceDefinition {
  return {
    name: 'webhooks',
    storage: {
      schema: 'webhooks',
      isByIndex: true,
      entities: [EventTable, EndpointTable],
      migrations,
    },
    needsAdminToken: false,
    dependencies: [],
    schema: (context) => webhooksSchema(context, overrides),
  }
}

function webhooksSchema(context: ServiceContext, overrides: Overrides): ServiceParts {
  const { settings, log, call, tracing } = context
  const db = context.database()
  const cursorKeys = deriveKeys(settings, 'cursor')
  const secretKeys = deriveKeys(settings, 'webhook-secret')
  const config = makeDeliveryConfig(settings.webhookRetryS, overrides.config)
  const allowPrivate = settings.webhookAllowPrivate
  const http = {
    limits: config,
    allowPrivate,
    allowedOrigin: settings.webhookAllowedOrigin,
    resolve: allowPrivate ? resolveBySystem : resolveByDns,
    ...overrides.http,
  }
  const live = openLiveSource(context.broadcast)
  const sender = { http, keys: secretKeys, tracing, onAttempt: publishAttempts(live) }
  const metrics = openDeliveryMetrics(context.metrics)
  const abortRegistry = openAbortRegistry()
  const mail = openShopMail(context)
  const warn = (message: string) => (error: unknown) => log.warn({ error }, message)
  const recorder = openResultRecorder(db, config, warn('a delivery result could not be written yet'))
  const wakeWorkers = () => context.broadcast('webhooks.due', {})
  const abortAttempts = (endpointId: string) => context.broadcast('webhooks.deleted', { endpoint_id: endpointId })
  const onDemand = { db, config, sender, recorder, abortRegistry }
  const handlerOptions = { db, secretKeys, cursorKeys, onDemand, wakeWorkers, abortAttempts }
  const running: { stop(): Promise<void> }[] = []
  let outboxes: Worker | null = null
  let deliveryWorker: DeliveryWorker | null = null

  return {
    actions: {
      async 'webhooks.ingest'({ params: { events } }) {
        await storeEvents(db, events)
        wakeWorkers()
        context.broadcast('events.stored', { shop_ids: [...new Set(events.map(({ shop_id }) => shop_id))] })
        return {}
      },
      async 'webhooks.forget'({ params: { shop_id, body } }) {
        await eraseEvents(db, shop_id, body.events)
        wakeWorkers()
        return {}
      },
      ...eventHandlers(handlerOptions),
      ...endpointHandlers(handlerOptions),
      ...deliveryHandlers(handlerOptions),
      ...replayHandlers(handlerOptions),
      ...webhookArchive(handlerOptions),
      ...parkedHandlers('webhooks', { db, cursorKeys, log, wake: () => outboxes?.wake() }),
    },
    events: {
      'shops.watched': (ctx: Context<{ shop_ids: string[] }>) => live.watch(ctx.params.shop_ids),
      'webhooks.due': () => deliveryWorker?.wake(),
      'webhooks.deleted': (ctx: Context<{ endpoint_id: string }>) => abortRegistry.abort(ctx.params.endpoint_id),
    },
    async started() {
      if (allowPrivate) log.warn('WEBHOOK_ALLOW_PRIVATE is on: webhooks may be sent to private addresses')
      await removeExpired()
      await resealSecrets(db, secretKeys)
      const { pollMs } = config
      deliveryWorker = startDeliveryWorker({
        db,
        config,
        sender,
        recorder,
        abortRegistry,
        onError: warn('deliveries could not be sent'),
        onResponse: metrics.observeAttempt,
        onClockOffset: clockWatcher(),
        onWaits: metrics.observeWaits,
      })
      const notices = { db, call, mail, publicUrl: settings.publicUrl }
      outboxes = startOutboxes(context, db, 'webhooks')
      running.push(
        deliveryWorker,
        outboxes,
        startWorker({
          pollMs,
          round: () => endOrderingTimeouts(db, config),
          onError: warn('ordering timeouts failed'),
        }),
        startWorker({ pollMs, round: queueReplays, onError: warn('replays could not continue') }),
        startWorker({ pollMs, round: () => sendNotice(notices), onError: warn('a notice could not be sent') }),
        startPeriodic(pollMs * POLLS_PER_WATCH, watch, warn('the check of endpoints and queues failed')),
        ...sealAgain(),
        startPeriodic(RETENTION_MS, removeExpired, warn('expired rows could not be removed')),
      )
    },
    async stopped() {
      await Promise.all(running.map((one) => one.stop()))
      abortRegistry.abortAll()
      live.stop()
      await mail.close()
    },
  }

  async function queueReplays(): Promise<boolean> {
    if ((await advanceReplays(db, config)) > 0) wakeWorkers()
    return false
  }

  // While SECRET_KEY is rotated, replicas with the old one store secrets beside this one.
  function sealAgain(): Worker[] {
    const { secretKeyPrevious: previous } = settings
    if (previous === null) return []
    const outdated = secretKeys.filter(isOutdated).map(keyIdOf)
    const round = async () => {
      await resealSecrets(db, secretKeys)
      const uses = [{ purpose: 'webhook-secret', uses: 0, stored: await countSecrets(db, outdated) }]
      await call('auth.note_key_uses', { secret_id: secretIdOf(previous), uses })
      return false
    }
    return [startWorker({ pollMs: RESEAL_MS, round, onError: warn('secrets could not be sealed again yet') })]
  }

  async function watch(): Promise<void> {
    await checkFailingEndpoints(db, config)
    await skipAbandonedQueues(db, SKIP_MS)
    await metrics.refresh(db)
  }

  async function removeExpired(): Promise<void> {
    const now = new Date()
    await applyRetention(db, now)
    await clearExpiredSecrets(db)
    await deleteOldAnswers(db, now)
    await deleteExpiredErasures(db, daysFrom(now, -1))
    for (let run = 0; run < SENT_MAX && (await deleteSentMessages(db)) > 0; run += 1);
  }

  function clockWatcher() {
    let isWarned = false
    return (aheadMs: number) => {
      metrics.setClockOffset(aheadMs)
      const isWrong = Math.abs(aheadMs) > CLOCK_WARNING_MS
      if (isWrong && !isWarned) log.warn({ ahead_ms: Math.round(aheadMs) }, 'the clock of this machine is wrong')
      isWarned = isWrong
    }
  }
}

function openShopMail({ settings, metrics }: ServiceContext): Mail {
  return openMail({
    smtpUrl: settings.smtpUrl,
    mailDir: join(settings.dataDir, 'mail'),
    from: senderOf(settings.smtpUrl, settings.publicUrl),
    onRefused: (because) => metrics.mailFailures.inc({ because }),
  })
}
