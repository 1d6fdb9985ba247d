// Owns the ground of a run on this machine: a PostgreSQL, a NATS and the replicas of every service, all of its own and all
// on the loopback, and a shop with keys and data made through the back office.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findNatsServer, type NatsServer, startNatsServer } from '#runtime/nats-server'
import { startEmbedded } from '#postgres/embedded/embedded'
import { type Replicas, startReplicas } from './replicas.ts'

export type Shop = { id: string; handle: string; readKey: string; writeKey: string; productId: string }
export type Stage = {
  databaseUrl: string
  replicas: Replicas
  admin: AskAdmin
  /** A shop with a product, contacts and so many orders, and its keys. */
  shop(handle: string, orders: number): Promise<Shop>
  nats: { stop(): Promise<void>; start(): Promise<void> }
  /** Kills the server at once; it is started again on its port. */
  killDatabase(): void
  stop(): Promise<void>
}
export type Answered = { status: number; data: Record<string, unknown> }
export type AskAdmin = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<Answered>

export const ADMIN_TOKEN = 'only-for-this-run'
const ADMIN_MS = 12_000
const MAKE_ATTEMPTS = 10

export const serviceNames = [
  ...['auth', 'catalog', 'orders', 'contacts', 'subscriptions', 'webhooks'],
  ...['rest-gateway', 'mcp-gateway', 'admin-gateway'],
]

/**
 * Further settings of single services, by service name. Told where the bus and the database are, so that a service may be
 * led there by another way.
 */
export type OwnSettings = (natsUrl: string, databaseUrl: string) => Promise<Record<string, Record<string, string>>>

/**
 * Starts `count` replicas of each service; `counts` names those that have others, `env` holds further settings for all and
 * `own` for some.
 */
export async function openStage(
  count: number,
  counts: Record<string, number> = {},
  env: Record<string, string> = {},
  own: OwnSettings = async () => ({}),
): Promise<Stage> {
  const program = findNatsServer('')
  if (program === null) throw new Error('There is no nats-server (Debian: nats-server).')
  const folder = mkdtempSync(join(tmpdir(), 'storefront-stage-'))
  const dataDir = join(folder, 'data')
  const database = await startEmbedded({ dataDir, log: () => undefined })
  let nats: NatsServer = await startNatsServer(program)
  process.once('exit', () => void nats.kill())
  const { url: natsUrl, port: natsPort } = nats
  const ownSettings = await own(natsUrl, database.url)
  const plan = serviceNames.map((service) => ({
    service,
    count: counts[service] ?? count,
    env: ownSettings[service] ?? {},
  }))
  const replicas = await startReplicas(plan, {
    NATS_URL: natsUrl,
    DATABASE_URL: database.url,
    SECRET_KEY: 'a secret of at least 32 characters.',
    ADMIN_TOKEN,
    DATA_DIR: dataDir,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'fatal',
    ...env,
  })
  const doors = replicas.of('admin-gateway').map(({ url }) => url)
  const admin = askAdmin(doors)
  return {
    databaseUrl: database.url,
    replicas,
    admin,
    shop: (handle, orders) => makeShop(admin, handle, orders),
    nats: {
      stop: () => nats.kill(),
      async start() {
        nats = await startNatsServer(program, natsPort)
      },
    },
    killDatabase() {
      const pid = readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]
      process.kill(Number(pid), 'SIGQUIT') // PostgreSQL's own word for dying at once: it recovers from its log.
    },
    async stop() {
      await replicas.stop()
      await nats.stop()
      await database.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

// Turn and turn about, as a balancer would; one that does not listen is passed over.
function askAdmin(doors: string[]): AskAdmin {
  let turn = 0
  return async (method, path, body, headers = {}) => {
    for (let attempt = 1; ; attempt += 1) {
      turn += 1
      try {
        const response = await fetch(`${doors[turn % doors.length]}/admin/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(ADMIN_MS),
        })
        const answer = (await response.json()) as { data?: Record<string, unknown> }
        return { status: response.status, data: answer.data ?? answer }
      } catch (error) {
        const { cause } = error as { cause?: { code?: string } }
        if (cause?.code !== 'ECONNREFUSED' || attempt >= doors.length) throw error
      }
    }
  }
}

const noAnswer = (): Answered => ({ status: 599, data: {} })

async function makeShop(admin: AskAdmin, handle: string, orders: number): Promise<Shop> {
  // A busy machine lets calls fail; the same key makes the next one the same request.
  const make = async (path: string, body: object) => {
    const key = { 'idempotency-key': randomUUID() }
    for (let attempt = 1; ; attempt += 1) {
      const { status, data } = await admin('POST', path, body, key).catch(noAnswer)
      if (status < 300) return data
      if (status < 500 || attempt >= MAKE_ATTEMPTS)
        throw new Error(`POST ${path} was answered with ${status}: ${JSON.stringify(data)}`)
    }
  }
  const { id } = await make('/shops', {
    ...{ handle, name: 'Load', currency: 'GBP', timeZone: 'Europe/London', country: 'GB' },
    ...{ ownerEmail: 'owner@example.com', plan: 'pro' },
  })
  const read = await make(`/shops/${handle}/keys`, { name: 'read', access: 'read' })
  const write = await make(`/shops/${handle}/keys`, { name: 'write', access: 'write' })
  const product = await make(`/shops/${handle}/products`, { title: 'Mug', kind: 'physical', price: { cents: 500 } })
  const place = (number: number) =>
    make(`/shops/${handle}/orders`, {
      paymentMethod: 'card',
      customer: { name: 'Ada Lovelace', email: `buyer-${number}@example.com` },
      items: [{ productId: product.id, quantity: 1 + (number % 3) }],
    })
  for (let from = 0; from < orders; from += 10) {
    await Promise.all(Array.from({ length: Math.min(10, orders - from) }, (_, index) => place(from + index)))
  }
  for (let number = 0; number < 30; number += 1) {
    await make(`/shops/${handle}/contacts`, { name: 'Ada', email: `ada-${number}@example.com` })
  }
  return {
    id: String(id),
    handle,
    readKey: String(read.secret),
    writeKey: String(write.secret),
    productId: String(product.id),
  }
}
