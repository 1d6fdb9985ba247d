// `npm run sync:compare`: a copy of a shop's orders that a poller keeps, compared with the shop beside writers. A true copy shows no
// difference; of another exactly the rows are named that were left out, made stale or kept beyond their deletion.
// docs/spec/sync.md#comparison-proof
// npm run sync:compare [-- --orders 1000000] [--writers 8] [--rounds 20] [--damaged 20]
// Each round compares the copy as it is, and then with so many damaged rows.
import { createStorefront, type Difference } from '../../clients/typescript/src/client.ts'
import { copyRows } from '../bench/seed.ts'
import { startCluster } from '../cluster.ts'
import { goods } from '../operations.ts'
import { conclude, pick, print, readOptions, seconds, word } from '../program.ts'
import { startCallers } from '../traffic.ts'
import { startPoller } from './poller.ts'

type Copy = Map<string, Date>

const options = readOptions({ orders: 1_000_000, writers: 8, rounds: 20, damaged: 20 })
const PAGE_STAMPS = 5_000
const CALLS_MORE = 2
/** Until there are so many orders of their own the writers only make orders, then one in `CHANGES_EACH` writes. */
const MADE_FIRST = 500
const CHANGES_EACH = 50
const STALE_MS_MAX = 1_000_000
const breaches: string[] = []
const nothing: Difference = { missing: [], gone: [], stale: [] }

const cluster = await startCluster({ form: 'one-process', env: { REQUESTS_PER_MINUTE: '1000000' } })
const { client, query } = cluster
const shop = await client.shop('compare', 0, 0)
const seeded = await seed()
const poller = startPoller(client, shop.readKey, 'orders', 'updated', new Map(seeded))
const writers = startWriters()
const ids = seeded.map(([id]) => id)
let calls = 0
const { orders: api } = createStorefront({
  baseUrl: cluster.of('rest-gateway')[0]?.url ?? '',
  key: shop.readKey,
  fetch: (...sent) => {
    calls += 1
    return fetch(...sent)
  },
})

print('| Round | Copy | Rows | Writes beside it | Calls | Time | Missing | Gone | Stale | Wrong |')
print('|---|---|---|---|---|---|---|---|---|---|')
for (let round = 1; round <= options.rounds; round += 1) {
  await compare(`${round} | true`, copyNow(), nothing)
  const copy = copyNow()
  const difference = await damage(copy)
  await compare(`${round} | damaged`, copy, difference)
}
await writers.stop()
await poller.finish()
await cluster.stop()
conclude(breaches, `${options.rounds} true copies showed no difference, ${options.rounds} others exactly theirs`)

/** Makes the orders; returns their stamps in milliseconds. */
async function seed(): Promise<[string, number][]> {
  const template = await client.shop('compare-template', 10, 0)
  const session = await cluster.session()
  await copyRows(session, 'orders.orders', template.id, shop.id, options.orders)
  await session.query('vacuum analyze orders.orders')
  const { rows } = await session.query<{ id: string; at: number }>(
    'select id, extract(epoch from updated_at)::float8 * 1000 as at from orders.orders where shop_id = $1',
    [shop.id],
  )
  await session.end()
  return rows.map(({ id, at }) => [id, Math.round(at)])
}

// Callers that change any of the orders that they have made, so that two of them often change one order at once.
function startWriters() {
  const made: string[] = []
  const path = `/shops/${shop.id}/orders`
  const next = () => {
    const isNew = made.length < MADE_FIRST || Math.random() * CHANGES_EACH < 1
    if (isNew) return { method: 'POST', path, body: { paymentMethod: 'bank_transfer', items: goods }, isNew }
    return { method: 'PATCH', path: `${path}/${pick(made)}`, body: { customer: { name: word() } }, isNew }
  }
  return startCallers(client, options.writers, next, ({ method, isNew, answer: { status, text, data } }) => {
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`)
    if (isNew) made.push(String(data.id))
  })
}

function copyNow(): Copy {
  return new Map([...poller.seen].map(([id, ms]) => [id, new Date(ms)]))
}

/** Damages the copy, each row in one of three ways by chance; returns what a comparison has to name. */
async function damage(copy: Copy): Promise<Difference> {
  const difference: Difference = { missing: [], gone: [], stale: [] }
  for (let count = 0; count < options.damaged; count += 1) {
    const id = takeAny()
    const kind = (['missing', 'gone', 'stale'] as const)[Math.floor(Math.random() * 3)] ?? 'missing'
    difference[kind].push(id)
    if (kind === 'missing') copy.delete(id)
    if (kind === 'stale') copy.set(id, new Date((copy.get(id)?.getTime() ?? 0) - 1 - Math.random() * STALE_MS_MAX))
  }
  // No call of the product deletes an order: this is what the deletion of its data does.
  await query('delete from orders.orders where shop_id = $1 and id = any($2::uuid[])', [shop.id, difference.gone])
  for (const id of difference.gone) poller.seen.delete(id)
  for (const list of Object.values(difference)) list.sort()
  return difference
}

// Each order once, and none of the writers', which would fail where it is deleted.
function takeAny(): string {
  const [id] = ids.splice(Math.floor(Math.random() * ids.length), 1)
  if (id === undefined) throw new Error('Every order was damaged.')
  return id
}

async function compare(name: string, copy: Copy, expected: Difference): Promise<void> {
  const writes = writers.answered.length
  const began = performance.now()
  calls = 0
  const found = await api.compare(copy)
  const ms = performance.now() - began
  const wrong = (['missing', 'gone', 'stale'] as const).flatMap((kind) => {
    const [named, due] = [new Set(found[kind]), new Set(expected[kind])]
    const differing = [...named, ...due].filter((id) => !named.has(id) || !due.has(id))
    return differing.map((id) => `${kind} ${id}`)
  })
  const callsMax = Math.ceil(copy.size / PAGE_STAMPS) + CALLS_MORE
  const cells = [
    name,
    copy.size,
    writers.answered.length - writes,
    calls,
    seconds(ms),
    found.missing.length,
    found.gone.length,
    found.stale.length,
    wrong.length,
  ]
  print(`| ${cells.join(' | ')} |`)
  for (const one of wrong) breaches.push(`${name}: ${one} is named wrongly or not at all`)
  if (calls > callsMax) breaches.push(`${name}: ${calls} calls, more than ${callsMax}`)
  if (options.writers > 0 && writers.answered.length === writes) breaches.push(`${name}: nothing was written beside it`)
}
