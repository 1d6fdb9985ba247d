// Kills processes under commands, again and again: nothing that was answered may be lost, nothing half written or done twice.
// node loadtest/chaos/kills/kills.ts [--only product,orders,subscriptions] [--rounds 10] [--callers 8] [--day 2010-12-01]
// `product` is the one-process form, in odd rounds its process group, in even ones its database too, in the middle of an
// import and of commands. `orders` and `subscriptions` are that service of the distributed form.
import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Cluster, startCluster } from '../../cluster.ts'
import { storedBreaches, writeBreaches } from '../../judge.ts'
import { root } from '../../process.ts'
import { conclude, print, seconds, until, wholeNumber } from '../../program.ts'
import { type Callers, send, type Shelf, startCallers, stockShelf, type Subject } from './commands.ts'
import { accountOf, type Contents, contentsOf, differences, keysIn, sendFile } from './imported.ts'

const targets = ['product', 'orders', 'subscriptions']
const KILL_UNTIL_MS = 2_500
const REACHED_MS = 60_000
const REPEATED_EACH_ROUND = 20
/** A reservation's age, two rounds of the sweep that returns it, and the minute for which a sweep keeps it. */
const RETURNED_MS = 300_000

// $1 is the shop. A cancelled order keeps its stock.
const stockText = `
  with sold as (
    select l.product_id as id, sum(l.quantity) as units from orders.order_lines l where l.shop_id = $1 group by 1
  ), held as (
    select i.product_id as id, sum(i.quantity) as units
    from catalog.reservations r, json_to_recordset(r.items) as i (product_id uuid, quantity int)
    where r.shop_id = $1 and r.state = 'taken' and r.reservation_id not in (select id from orders.orders)
    group by 1
  )
  select p.id, (stock + coalesce(sold.units, 0) + coalesce(held.units, 0))::int as sum, coalesce(held.units, 0)::int as held
  from catalog.products p left join sold using (id) left join held using (id)
  where p.shop_id = $1 and stock is not null`

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: targets.join(',') },
    rounds: { type: 'string', default: '10' },
    callers: { type: 'string', default: '8' },
    day: { type: 'string', default: '2010-12-01' },
  },
})
const rounds = wholeNumber('rounds', values.rounds)
const callerCount = wholeNumber('callers', values.callers)
const file = join(root, 'deploy/demo/online-retail', `${values.day}.csv`)
const breaches: string[] = []

for (const target of targets.filter((name) => values.only.split(',').includes(name))) {
  const isProduct = target === 'product'
  const cluster = await startCluster(
    isProduct ? { form: 'one-process' } : { counts: { 'rest-gateway': 0, 'mcp-gateway': 0 } },
  )
  try {
    await runRounds(cluster, target, isProduct ? ['orders', 'subscriptions'] : [target as Subject])
  } finally {
    const codes = await cluster.stop()
    if (codes.some((code) => code !== 0)) breaches.push(`${target}: processes ended with ${codes.join(', ')}`)
  }
}
conclude(breaches, 'nothing was lost, nothing was half written or done twice')

async function runRounds(cluster: Cluster, target: string, subjects: Subject[]): Promise<void> {
  const shelf = await stockShelf(cluster, 'kills')
  const undisturbed = target === 'product' ? await importWhole(cluster, 'undisturbed') : null
  const callers = startCallers(cluster, shelf, subjects, callerCount)
  for (let round = 1; round <= rounds; round += 1) {
    await callers.more(1 + randomInt(40))
    const [killed, readyMs] =
      undisturbed === null
        ? [target, (await restartAfter(cluster, target)) ?? 0]
        : await killProduct(cluster, round, undisturbed)
    print(`round ${round}: killed ${killed}, ready after ${seconds(readyMs)}; ${callers.answered.length} answers`)
    await repeatSome(cluster, shelf, callers)
  }
  await callers.stop()
  const found = [...(await storedBreaches(cluster)), ...(await toldBreaches(cluster, shelf, callers))]
  breaches.push(...found.map((breach) => `${target}: ${breach}`))
  const done = callers.answered.filter(({ answer }) => answer.status < 300).length
  print(`${target}: ${done} commands done, ${callers.answered.length - done} refused, ${callers.repeated()} repeated`)
}

async function restartAfter({ of }: Cluster, service: string): Promise<number | undefined> {
  await pause(Math.random() * 60)
  return of(service)[0]?.restart('SIGKILL')
}

// The import has written a random share of the file when it is killed, so that every part of it is cut.
async function killProduct(cluster: Cluster, round: number, undisturbed: Contents): Promise<[string, number]> {
  const [product] = cluster.processes
  const shop = await importShop(cluster, `import-${round}`)
  const cut = sendFile(cluster, 'one', shop, file).then(accountOf, () => 'cut')
  const share = randomInt(Math.round(undisturbed.documents.length * 0.9))
  await until(async () => (await keysIn(cluster, shop)) >= share, REACHED_MS, 20)
  await pause(randomInt(KILL_UNTIL_MS))
  const [began, pid] = [performance.now(), product?.pid()]
  await product?.killTree(round % 2 === 0)
  await product?.ready(pid)
  const readyMs = performance.now() - began
  const left = readdirSync(cluster.folder).filter((name) => name.startsWith('storefront-import-'))
  if (left.length > 0) breaches.push(`${left.length} uploads of a killed process were left`)
  const outcome = await cut
  await sendFile(cluster, 'one', shop, file)
  breaches.push(...differences(await contentsOf(cluster, shop), undisturbed))
  const statuses = await cluster.query<{ status: string }>('select status from auth.imports where shop_id = $1', [shop])
  if (!statuses.some(({ status }) => status === 'completed')) breaches.push(`round ${round}: no import completed`)
  return [`${round % 2 === 0 ? 'the product with its database' : 'the product'} (import: ${outcome})`, readyMs]
}

async function importWhole(cluster: Cluster, handle: string): Promise<Contents> {
  const shop = await importShop(cluster, handle)
  await sendFile(cluster, 'one', shop, file)
  return contentsOf(cluster, shop)
}

async function importShop({ admin }: Cluster, handle: string): Promise<string> {
  const facts = { handle, name: handle, currency: 'GBP', timeZone: 'Europe/London', country: 'GB', plan: 'pro' }
  return String((await admin.call('POST', '/shops', facts)).id)
}

// A repeated request has the remembered answer, byte for byte.
async function repeatSome({ admin }: Cluster, shelf: Shelf, { answered }: Callers): Promise<void> {
  const done = answered.filter(({ answer }) => answer.status < 300).slice(-REPEATED_EACH_ROUND)
  for (const { path, body, key, answer } of done) {
    const again = await send(admin, shelf, path, body, key)
    if (again !== null && (again.status !== answer.status || again.text !== answer.text)) {
      breaches.push(`a repeated request has its answer: ${path} under ${key} was answered with ${again.status}`)
    }
  }
}

async function toldBreaches(cluster: Cluster, shelf: Shelf, { answered }: Callers): Promise<string[]> {
  const done = answered.filter(({ answer }) => answer.status < 300)
  const placed = answered.filter(({ path }) => path === '/orders')
  const told = placed.map(({ key, answer }) => ({ kind: 'order' as const, mark: key, isDone: answer.status === 201 }))
  return [
    ...(await writeBreaches(cluster, shelf.shop.id, told)),
    ...(await amountBreaches(cluster, done)),
    ...(await stockBreaches(cluster, shelf)),
  ]
}

// Every refund and every payment that a caller was told of was made once.
async function amountBreaches({ query }: Cluster, done: Callers['answered']): Promise<string[]> {
  const rows = await query<{ id: string; made: string }>(
    `select order_id as id, string_agg(amount_cents::text, ' ' order by amount_cents) as made
       from orders.order_history where move = 'refund' group by 1
     union all select subscription_id, string_agg('renewed', ' ')
       from subscriptions.subscription_history where move = 'renew' group by 1`,
  )
  const made = new Map(rows.map((row) => [row.id, row.made]))
  const told = Map.groupBy(
    done.filter(({ cents, path }) => cents !== undefined || path.endsWith('/renew')),
    ({ order, membership }) => order ?? membership ?? '',
  )
  return [...new Set([...made.keys(), ...told.keys()])].flatMap((id) => {
    const amounts = (told.get(id) ?? []).toSorted((a, b) => (a.cents ?? 0) - (b.cents ?? 0))
    const wanted = amounts.map(({ cents }) => cents ?? 'renewed').join(' ')
    const found = made.get(id) ?? ''
    return wanted === found ? [] : [`refunds and payments made once: ${id} has ${found}, callers were told ${wanted}`]
  })
}

// What is in stock, sold, and set aside for orders that were never written; the last of it comes back by itself.
async function stockBreaches({ query }: Cluster, { shop, initial }: Shelf): Promise<string[]> {
  const heldNow = async () => {
    const rows = await query<{ id: string; sum: number; held: number }>(stockText, [shop.id])
    const wrong = rows.filter(({ id, sum }) => initial.has(id) && sum !== initial.get(id))
    return { held: rows.reduce((total, row) => total + row.held, 0), wrong }
  }
  const isBack = await until(async () => (await heldNow()).held === 0, RETURNED_MS, 1_000)
  const { held, wrong } = await heldNow()
  return [
    ...(isBack ? [] : [`stock comes back: ${held} units of orders that were never written did not`]),
    ...wrong.map(({ id, sum }) => `stock adds up: ${id} had ${initial.get(id)} units and has ${sum}`),
  ]
}
