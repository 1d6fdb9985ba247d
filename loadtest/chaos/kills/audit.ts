// Kills every service that changes something, again and again under load: no change may be without its audit entry, and no entry without
// its change. docs/spec/access.md#audit
// node loadtest/chaos/kills/audit.ts [--only auth,catalog,contacts,orders,subscriptions,webhooks] [--rounds 20] [--callers 8]
// Each caller repeats a command under one Idempotency-Key and one request id until the answer is definite. So a command that was answered
// with success was done exactly once, and one that was refused was not.
import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Cluster, startCluster } from '../../cluster.ts'
import { storedBreaches } from '../../judge.ts'
import { conclude, pick, print, seconds, until, wholeNumber, word } from '../../program.ts'
import { type Shelf, stockShelf } from './commands.ts'

type Command = [path: string, body: object]
type Told = { id: string; path: string; status: number }
type Entry = { request_id: string; outcome: string; object_id: string | null }

const owners = ['auth', 'catalog', 'contacts', 'orders', 'subscriptions', 'webhooks']
const NOTED_MS = 30_000
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: owners.join(',') },
    rounds: { type: 'string', default: '20' },
    callers: { type: 'string', default: '8' },
  },
})
const rounds = wholeNumber('rounds', values.rounds)
const callerCount = wholeNumber('callers', values.callers)
const killed = owners.filter((name) => values.only.split(',').includes(name))

// What callers make, with the entry of its making; nothing else makes these objects.
const madeText = `
  select id, 'orders.place' as action from orders.orders union all select id, 'products.create' from catalog.products
  union all select id, 'contacts.save' from contacts.contacts union all select id, 'operators.create' from auth.operators
  union all select id, 'subscriptions.create' from subscriptions.subscriptions
  union all select id, 'endpoints.create' from webhooks.endpoints`
// A move that changes something leaves a row of the history; one that changes nothing is an entry without changes.
const movedText = `
  select order_id as id, count(*)::int as n from orders.order_history group by 1
  union all select subscription_id, count(*)::int from subscriptions.subscription_history where who = 'admin token' group by 1`

const breaches: string[] = []
const cluster = await startCluster({ counts: { 'rest-gateway': 0, 'mcp-gateway': 0 } })
try {
  await run(cluster)
} finally {
  const codes = await cluster.stop()
  if (codes.some((code) => code !== 0)) breaches.push(`processes ended with ${codes.join(', ')}`)
}
conclude(breaches, 'no change without its entry, no entry without its change')

async function run({ admin, of, query }: Cluster): Promise<void> {
  const shelf = await stockShelf(cluster, 'audit')
  const { id } = await admin.call('POST', '/shops/audit/webhook-endpoints', {
    url: 'http://127.0.0.1:9/',
    enabled: false,
  })
  breaches.push(...(await storedBreaches(cluster))) // Entries of the preparation have arrived.
  const before = new Set((await entries()).map(({ request_id }) => request_id))
  const told: Told[] = []
  let repeated = 0
  let isStopped = false
  const made: Record<'orders' | 'subscriptions', string[]> = { orders: [], subscriptions: [] }

  const callers = Array.from({ length: callerCount }, async () => {
    while (!isStopped) {
      const [path, body] = nextCommand(shelf, String(id), made)
      const key = randomUUID()
      const headers = { 'idempotency-key': key, 'x-request-id': key }
      for (;;) {
        const answer = await admin.send('POST', path, body, headers).catch(() => null)
        if (answer !== null && answer.status < 500) {
          told.push({ id: key, path, status: answer.status })
          const subject = /^\/shops\/audit\/(orders|subscriptions)$/.exec(path)?.[1] as keyof typeof made | undefined
          if (subject !== undefined && answer.status === 201) made[subject].push(String(answer.data.id))
          break
        }
        repeated += 1
        await pause(20)
      }
    }
  })
  for (let round = 1; round <= rounds; round += 1) {
    const times: string[] = []
    for (const service of killed) {
      const wanted = told.length + 10 + randomInt(30)
      await until(() => told.length >= wanted, NOTED_MS, 5)
      await pause(Math.random() * 60)
      times.push(`${service} ${seconds((await of(service)[0]?.restart('SIGKILL')) ?? 0)}`)
    }
    print(`round ${round}: killed, and ready again after: ${times.join(', ')}; ${told.length} answers`)
  }
  isStopped = true
  await Promise.all(callers)
  breaches.push(...(await storedBreaches(cluster)))

  const refused = told.filter(({ status }) => status >= 400)
  // The gateway sends what it has seen off the path of the answer.
  await until(async () => (await countOf('refused')) >= refused.length, NOTED_MS, 200)
  const all = (await entries()).filter(({ request_id }) => !before.has(request_id))
  const byRequest = Map.groupBy(all, ({ request_id }) => request_id)
  for (const { id: request, path, status } of told) {
    const outcomes = (byRequest.get(request) ?? []).map(({ outcome }) => outcome).filter((one) => one !== 'failed')
    const wanted = status < 300 ? 'done' : 'refused'
    if (outcomes.join(' ') !== wanted) {
      breaches.push(`POST ${path} was answered with ${status} and has the entries: ${outcomes.join(', ') || 'none'}`)
    }
  }
  const known = new Set(told.map(({ id: request }) => request))
  const unknown = all.filter(({ request_id }) => !known.has(request_id))
  if (unknown.length > 0) breaches.push(`${unknown.length} entries belong to no command`)
  breaches.push(...(await rowBreaches()))
  const done = all.filter(({ outcome }) => outcome === 'done').length
  print(
    `${told.length} commands, ${repeated} times repeated: ${done} done, ${refused.length} refused; ${all.length} entries`,
  )

  function entries(): Promise<Entry[]> {
    return query<Entry>('select request_id, outcome, object_id from auth.audit_entries')
  }

  async function countOf(outcome: string): Promise<number> {
    return (await entries()).filter((entry) => entry.outcome === outcome && !before.has(entry.request_id)).length
  }

  // The rows of the services against the entries, whatever the callers were told.
  async function rowBreaches(): Promise<string[]> {
    const without = await query<{ action: string; n: number }>(
      `select m.action, count(*)::int as n from (${madeText}) m where not exists (
         select from auth.audit_entries a where a.object_id = m.id and a.action = m.action and a.outcome = 'done') group by 1`,
    )
    const unmade = await query<{ action: string; n: number }>(
      `select a.action, count(*)::int as n from auth.audit_entries a where a.outcome = 'done'
         and a.action in (select distinct action from (${madeText}) m)
         and not exists (select from (${madeText}) m where m.id = a.object_id) group by 1`,
    )
    const unmoved = await query<{ id: string }>(
      `select m.id from (${movedText}) m where m.n > (
         select count(*) from auth.audit_entries a where a.object_id = m.id and a.outcome = 'done')`,
    )
    return [
      ...without.map(({ action, n }) => `${n} changes of ${action} have no entry`),
      ...unmade.map(({ action, n }) => `${n} entries of ${action} have no change`),
      ...unmoved.map(({ id: object }) => `${object} was moved more often than its entries say`),
    ]
  }
}

function nextCommand(shelf: Shelf, endpoint: string, made: Record<'orders' | 'subscriptions', string[]>): Command {
  const inShop = (path: string, body: object): Command => [`/shops/audit${path}`, body]
  const { membership: productId, contact: clientId } = shelf
  const [order, member] = [made.orders.at(-1 - randomInt(20)), made.subscriptions.at(-1 - randomInt(20))]
  const kinds: (() => Command)[] = [
    () => ['/operators', { name: 'Mina', email: `${word()}@shop.example`, role: 'viewer', shops: [] }],
    () => inShop('/products', { title: word(), kind: 'physical', price: { cents: 500 } }),
    () => inShop('/contacts', { name: 'Ada', email: `${word()}@example.com` }),
    () => inShop('/orders', { paymentMethod: 'card', items: [{ productId: pick(shelf.products), quantity: 1 }] }),
    () => inShop('/subscriptions', { productId, clientId, billingMode: 'processor' }),
    () => inShop(`/webhook-endpoints/${endpoint}/rotate-secret`, { overlapSeconds: 0 }),
    () => inShop(`/orders/${order ?? randomUUID()}/${pick(['refund', 'confirm', 'ship', 'dispute'])}`, {}),
    () => inShop(`/subscriptions/${member ?? randomUUID()}/${pick(['renew', 'cancel', 'resume'])}`, {}),
  ]
  return pick(kinds)()
}
