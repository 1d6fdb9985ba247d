// Owns the way of an event as a whole: orders are confirmed over HTTP in even steps, and each event is followed from the commit
// of its transaction, whose time PostgreSQL knows, through the relay of orders, the bus and webhooks to the receiver.
import pg from 'pg'
import { awaitArrivals, inEvenSteps } from './webhook-queue-flow.ts'
import type { Ground } from './webhook-queue-ground.ts'
import { type Replicas, startReplicas } from './replicas.ts'
import { halfAndLast, type Row } from './webhook-queue-table.ts'

export type LatencySize = { perSecond: number[]; seconds: number; shops: number }

const TOKEN = 'only-for-this-run'
const AT_ONCE = 8
const WARM_EVENTS = 60
const services = ['auth', 'catalog', 'contacts', 'orders', 'subscriptions', 'webhooks', 'admin-gateway']

type Ask = (path: string, body?: object) => Promise<{ id: string }>
type Order = { path: string; id: string }

export async function measureLatency(ground: Ground, { perSecond, seconds, shops }: LatencySize): Promise<Row[]> {
  const url = await ground.database('chain')
  const replicas = await startReplicas(
    services.map((service) => ({ service, count: 1 })),
    {
      ...{ NATS_URL: ground.natsUrl, DATABASE_URL: url, SECRET_KEY: ground.secretKey, ADMIN_TOKEN: TOKEN },
      ...{ WEBHOOK_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'fatal', DATA_DIR: '/nowhere' },
    },
  )
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const ask = askAdmin(replicas)
    const count = perSecond.reduce((sum, rate) => sum + rate * seconds, WARM_EVENTS)
    const orders = await placeOrders(ask, shops, count, ground.sink.url('/ok'))
    await confirm(ground, client, ask, orders.splice(0, WARM_EVENTS), 20)
    const rows: Row[] = []
    for (const rate of perSecond) {
      rows.push(...(await confirm(ground, client, ask, orders.splice(0, rate * seconds), rate)))
    }
    return rows
  } finally {
    await client.end()
    await replicas.stop()
    await ground.drop(url)
  }
}

/** Confirms orders in even steps: each fires one event. */
async function confirm(
  ground: Ground,
  client: pg.Client,
  ask: Ask,
  orders: Order[],
  perSecond: number,
): Promise<Row[]> {
  const beganAt = performance.now()
  await inEvenSteps(perSecond, orders.length, (number) => ask(`${orders[number]?.path}/confirm`, {}))
  const took = performance.now() - beganAt
  const { rows } = await client.query(committedText, [orders.map(({ id }) => id)])
  const committed = rows as { id: string; at: number }[]
  const arrivedAt = await awaitArrivals(ground, new Set(committed.map(({ id }) => id)))
  const ms = committed.flatMap(({ id, at }) => {
    const arrival = arrivedAt.get(id)
    return arrival === undefined ? [] : [arrival - at]
  })
  const made = ((orders.length * 1_000) / took).toFixed(0)
  const lost = orders.length - ms.length
  return [
    {
      what: `${perSecond} events a second: commit to receiver, p50 / p99`,
      figure: `${halfAndLast(ms)} over ${ms.length} (answered at ${made} a second)`,
    },
    { what: `${perSecond} events a second: did not arrive`, figure: String(lost), must: '0', holds: lost === 0 },
  ]
}

// The line of history is written with the event and never again, so its transaction is the event's.
const committedText = `
  select e.id, extract(epoch from pg_xact_commit_timestamp(h.xmin))::float8 * 1000 as at
  from orders.events e join orders.order_history h on h.order_id = e.object_id and h.to_status = 'confirmed'
  where e.object_id = any($1) and e.type = 'order.confirmed'`

async function placeOrders(ask: Ask, shops: number, count: number, url: string): Promise<Order[]> {
  const products: string[] = []
  const handles = Array.from({ length: shops }, (_, number) => `queue-${number}`)
  for (const [number, handle] of handles.entries()) {
    const place = { currency: 'GBP', timeZone: 'Europe/London', country: 'GB', ownerEmail: null, plan: 'pro' }
    await ask('/shops', { handle, name: 'Load', ...place })
    products[number] = (await ask(`/shops/${handle}/products`, product)).id
  }
  const orders: Order[] = []
  let next = 0
  const work = async () => {
    for (let number = next++; number < count; number = next++) {
      const path = `/shops/${handles[number % shops]}/orders`
      const items = [{ productId: products[number % shops], quantity: 1 }]
      const { id } = await ask(path, {
        paymentMethod: 'card',
        customer: { email: `buyer-${number}@example.com` },
        items,
      })
      orders.push({ path: `${path}/${id}`, id })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  for (const handle of handles) await ask(`/shops/${handle}/webhook-endpoints`, { url })
  return orders
}

const product = { title: 'Mug', kind: 'physical', price: { cents: 500 } }

function askAdmin(replicas: Replicas): Ask {
  const [gateway] = replicas.of('admin-gateway')
  return async (path, body) => {
    const response = await fetch(`${gateway?.url}/admin/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = (await response.json()) as { data?: { id: string } }
    if (!response.ok || answer.data === undefined) {
      throw new Error(`POST ${path} was answered with ${response.status}: ${JSON.stringify(answer)}`)
    }
    return answer.data
  }
}
