// The webhooks service for tests of deliveries: alone, on its own database, with short waits, a shop, receivers on loopback, and
// events that the test emits.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterEach } from '@jest/globals'
import type { ActionInput, ActionName } from '#contracts/actions'
import type { Caller } from '#contracts/caller'
import type { WebhookDelivery, WebhookEndpoint } from '#contracts/objects/webhook'
import type { EventKind } from '#contracts/objects/webhook-event'
import { eventBody, eventId } from '#outbox/record-event'
import type { Database } from '#postgres/connect'
import type { ActionHandlers } from '#runtime/service'
import { childEnv } from '../child-env.ts'
import { makeWebhooks, type Overrides } from '../../services/webhooks/service.ts'
import { makeCaller, type OneService, openService } from './one-service.ts'
import { type EmittedEvent, openReceiver, type Receiver } from '../servers/receiver.ts'
import { until } from '../until.ts'

export type CreatedEndpoint = WebhookEndpoint & { secret: string }
type Json = { [field: string]: unknown }
export type StoredEvent = EmittedEvent & { happened_at: string }
type EventFacts = { objectId?: string; from?: number; type?: EventKind; shopId?: string; at?: Date }

export type WebhooksFixture = {
  service: OneService
  db: Database
  shop: Caller
  /** Calls an action for the shop; resolves with the object or the list in the answer. */
  call<Name extends ActionName>(name: Name, params: ActionInput<Name>, caller?: Caller): Promise<unknown>
  createEndpoint(input: Json, caller?: Caller): Promise<CreatedEndpoint>
  getEndpoint(id: string): Promise<WebhookEndpoint>
  listDeliveries(endpointId: string, filter?: Json): Promise<WebhookDelivery[]>
  /** Stores `count` events of one object, in order, with sequence numbers from `from` on. */
  emit(count: number, facts?: EventFacts): Promise<StoredEvent[]>
  /** Stores the events of `objects` objects, `each` of each. */
  emitObjects(objects: number, each?: number): Promise<StoredEvent[]>
  /** Rows of the queue that fulfil the SQL condition. */
  countQueued(condition?: string): Promise<number>
  /** Waits for an empty queue as long as it gets shorter: a long one takes minutes on a busy machine. */
  untilDrained(): Promise<void>
  untilNothingLeased(): Promise<unknown>
  /** Lets the time of every lease be over: a test of dead workers need not wait, and leases end at no other moment. */
  endLeases(): Promise<void>
  close(): Promise<void>
}
export type OpenOptions = {
  config?: Overrides['config']
  http?: Overrides['http']
  /** Actions of other services that webhooks calls. */
  others?: ActionHandlers
  env?: Record<string, string>
}

export async function openWebhooks({ config, http, others = {}, env }: OpenOptions = {}): Promise<WebhooksFixture> {
  const overrides = { config: { pollMs: 20, jitter: 0, ...config }, ...(http === undefined ? {} : { http }) }
  const service = await openService(makeWebhooks(overrides), others, { WEBHOOK_ALLOW_PRIVATE: 'true', ...env })
  const { db } = service
  const shop = makeCaller()
  const call: WebhooksFixture['call'] = async (name, params, caller = shop) => {
    const answer = await service.call(name, params, { caller })
    return (JSON.parse(String(answer)) as { data: unknown }).data
  }
  const emit: WebhooksFixture['emit'] = async (
    count,
    { objectId = randomUUID(), from = 1, type = 'order.updated', shopId = shop.shopId, at } = {},
  ) => {
    const events = Array.from({ length: count }, (_, index) => {
      const sequence = from + index
      const now = at ?? new Date()
      const id = eventId(now, sequence)
      const body = eventBody(id, { shopId, objectId, sequence, type, document: `{"id":"${objectId}"}`, now })
      return { id, shop_id: shopId, object_id: objectId, sequence, type, body, happened_at: now.toISOString() }
    })
    await service.call('webhooks.ingest', { events })
    return events
  }
  const countQueued = async (condition = 'true') => (await db.rows(`select from queue where ${condition}`)).length
  return {
    service,
    db,
    shop,
    call,
    createEndpoint: async (input, caller) =>
      (await call('endpoints.create', { endpoint: input as never }, caller)) as CreatedEndpoint,
    getEndpoint: async (id) => (await call('endpoints.get', { id })) as WebhookEndpoint,
    listDeliveries: async (endpointId, filter = {}) =>
      (await call('deliveries.list', { id: endpointId, limit: 100, ...filter })) as WebhookDelivery[],
    emit,
    emitObjects: async (objects, each = 1) =>
      (await Promise.all(Array.from({ length: objects }, () => emit(each)))).flat(),
    countQueued,
    async untilDrained() {
      const fewerThan = async (most: number) => {
        const count = await countQueued().catch(() => most)
        return count < most ? count : null
      }
      for (let left = Number.POSITIVE_INFINITY; left > 0; ) left = await until(() => fewerThan(left))
    },
    untilNothingLeased: () => until(async () => (await countQueued('lease_until is not null')) === 0),
    async endLeases() {
      // Under the locks of the shops: a claim that a dead worker had sent may be committed after its end.
      await db.transaction(async (tx) => {
        await tx.rows('select from schedules order by shop_id for update')
        await tx.rows('update queue set lease_until = statement_timestamp() where lease_until is not null')
        await tx.rows('update schedules set due_at = statement_timestamp()')
      })
    },
    close: () => service.close(),
  }
}

export type WebhooksPerTest = {
  open(options?: OpenOptions): Promise<WebhooksFixture>
  /** Opens a receiver that answers 200. */
  receive(options?: Parameters<typeof openReceiver>[0]): Promise<Receiver>
  /** Starts a process that delivers the events of the fixture. */
  spawnWorker(webhooks: WebhooksFixture, config?: Overrides['config']): Promise<WorkerProcess>
  closeAfterTest(close: () => Promise<void>): void
}
export type WorkerProcess = { end(signal: NodeJS.Signals): Promise<void> }

/** Opens services, receivers and processes, and closes them after each test of the file. */
export function webhooksPerTest(): WebhooksPerTest {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close()
  })
  return {
    async open(options) {
      const webhooks = await openWebhooks(options)
      closing.push(() => webhooks.close())
      return webhooks
    },
    async receive(options) {
      const receiver = await openReceiver(options)
      closing.push(() => receiver.close())
      return receiver
    },
    async spawnWorker({ service }, config = {}) {
      const worker = await startWorkerProcess(service.url, config)
      closing.push(() => worker.end('SIGKILL'))
      return worker
    },
    closeAfterTest: (close) => closing.push(close),
  }
}

async function startWorkerProcess(databaseUrl: string, config: object): Promise<WorkerProcess> {
  const args = [
    'testing/product/webhook-worker.ts',
    databaseUrl,
    'a secret of at least 32 characters.',
    JSON.stringify(config),
  ]
  const proxy = 'http://127.0.0.1:9' // Nothing listens there: deliveries must not use it.
  const env = { ...childEnv, HTTP_PROXY: proxy, http_proxy: proxy, NODE_USE_ENV_PROXY: '1' }
  const cwd = join(import.meta.dirname, '../..')
  const child: ChildProcess = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('exit', (code) => reject(new Error(`The worker ended with ${code}.`)))
  })
  return {
    async end(signal) {
      child.kill(signal)
      await exited
    },
  }
}
