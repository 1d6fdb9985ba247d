// Invariants between the stored data and what callers were told, by name: no answered write is lost or done twice, money and stock add
// up, every change has its audit entry, and no entry is without its change (docs/spec/audit.md).
import type { Cluster } from '../cluster.ts'
import type { Operation, Shelf } from '../operations.ts'
import { print, until } from '../program.ts'
import { sendUnder, type Told } from '../traffic.ts'

/** What a client was told about a write whose mark is stored with it. */
export type Write = { kind: string; mark: string; isDone: boolean }
type Done = Told<Operation>[]

const REPEATED = 20
const NOTED_MS = 30_000
/** A gateway sends what it has noted within this time, and loses it where it is killed before. */
const SENT_MS = 1_000
/** A reservation's age, two rounds of the sweep that returns it, and the minute for which a sweep keeps it. */
const RETURNED_MS = 300_000

/** No answered order or contact is lost, and none was done twice, one line each. */
export async function writeBreaches({ query }: Cluster, shopId: string, writes: Write[]): Promise<string[]> {
  const countsOf = async (text: string) => {
    const rows = await query<{ mark: string; n: number }>(`${text} where shop_id = $1 group by 1`, [shopId])
    return new Map(rows.map(({ mark, n }) => [mark, n]))
  }
  const stored: Record<string, Map<string, number>> = {
    contact: await countsOf(`select split_part(email, '@', 1) as mark, count(*)::int as n from contacts.contacts`),
    order: await countsOf('select note as mark, count(*)::int as n from orders.orders'),
  }
  return writes.flatMap(({ kind, mark, isDone }) => {
    const count = stored[kind]?.get(mark) ?? 0
    if (isDone && count === 0) return [`no ${kind} lost: ${mark} was answered and does not exist`]
    return count > 1 ? [`no ${kind} twice: ${mark} exists ${count} times`] : []
  })
}

/** A change that was answered. */
export type Change = { id: string; createdAt: string; updatedAt: string; isNew: boolean }

/**
 * No change is missed by a poller, which has seen each object with these stamps: no answered change, and no stored row, also of a call
 * without an answer and of an import. The history that a file gives to an order lies before `since`.
 */
export async function missedChanges(
  { query }: Cluster,
  { table, shopId, stamp, since }: { table: string; shopId: string; stamp: 'created' | 'updated'; since: Date },
  told: Change[],
  seen: Map<string, number>,
) {
  const rows = await query<{ id: string; at: number }>(
    `select id, extract(epoch from ${stamp}_at)::float8 * 1000 as at from ${table} where shop_id = $1 and ${stamp}_at > $2`,
    [shopId, since],
  )
  const answered = told
    .filter(({ isNew }) => isNew || stamp === 'updated')
    .map(({ id, createdAt, updatedAt }) => ({ id, at: Date.parse(stamp === 'created' ? createdAt : updatedAt) }))
  const changes = new Map([...rows, ...answered].map((one) => [`${one.id} ${one.at}`, one]))
  const missed = [...changes.values()].filter(({ id, at }) => (seen.get(id) ?? 0) < at).length
  return { changes: changes.size, missed }
}

/** The audit entries of a shop and of operators, by the id of the request; those of failures say nothing about a change. */
export async function entriesOf({ query }: Cluster, shopId: string): Promise<Map<string, string>> {
  const rows = await query<{ id: string; outcomes: string }>(
    `select request_id as id, string_agg(outcome, ', ') as outcomes from auth.audit_entries
     where outcome <> 'failed' and (shop_id = $1 or action like 'operators.%') group by 1`,
    [shopId],
  )
  return new Map(rows.map(({ id, outcomes }) => [id, outcomes]))
}

/**
 * All that must hold after callers of officeCommand were told so and nothing is owed; `before` are the entries until then, `gatewayKills`
 * the instants at which their gateway was killed.
 */
export async function toldBreaches(
  cluster: Cluster,
  shelf: Shelf,
  told: Done,
  { before, gatewayKills }: { before: Map<string, string>; gatewayKills: number[] },
): Promise<string[]> {
  const done = told.filter(({ answer }) => answer.status < 300)
  const writes = told.filter(({ kind }) => kind === 'order' || kind === 'contact')
  const known = writes.map(({ kind, mark, answer }) => ({ kind, mark, isDone: answer.status < 300 }))
  return [
    ...(await writeBreaches(cluster, shelf.shop.id, known)),
    ...(await amountBreaches(cluster, done)),
    ...(await stockBreaches(cluster, shelf)),
    ...(await entryBreaches(cluster, shelf.shop.id, told, before, gatewayKills)),
    ...(await changeBreaches(cluster, shelf.shop.id)),
  ]
}

/** A repeated request has the remembered answer, byte for byte; tried with the last ones. */
export async function repeatBreaches({ client }: Cluster, told: Done): Promise<string[]> {
  const breaches: string[] = []
  const done = told.filter(({ answer }) => answer.status < 300)
  for (const { answer, ...command } of done.slice(-REPEATED)) {
    const again = await sendUnder(client, command, command.mark)
    if (again === null || (again.status === answer.status && again.text === answer.text)) continue
    breaches.push(`a repeated request has its answer: ${command.path} under ${command.mark} got ${again.status}`)
  }
  return breaches
}

// Every refund and every payment that a caller was told of was made once.
async function amountBreaches({ query }: Cluster, done: Done): Promise<string[]> {
  const rows = await query<{ id: string; made: string }>(
    `select order_id as id, string_agg(amount_cents::text, ' ' order by amount_cents) as made
       from orders.order_history where move = 'refund' group by 1
     union all select subscription_id, string_agg('renewed', ' ')
       from subscriptions.subscription_history where move = 'renew' group by 1`,
  )
  const made = new Map(rows.map((row) => [row.id, row.made]))
  const paid = done.filter(({ cents, path }) => cents !== undefined || path.endsWith('/renew'))
  const told = Map.groupBy(paid, ({ object }) => object ?? '')
  return [...new Set([...made.keys(), ...told.keys()])].flatMap((id) => {
    const amounts = (told.get(id) ?? []).toSorted((a, b) => (a.cents ?? 0) - (b.cents ?? 0))
    const wanted = amounts.map(({ cents }) => cents ?? 'renewed').join(' ')
    const found = made.get(id) ?? ''
    return wanted === found ? [] : [`refunds and payments made once: ${id} has ${found}, callers were told ${wanted}`]
  })
}

// What is in stock, sold, and set aside for orders that were never written; the last of it comes back by itself.
async function stockBreaches({ query }: Cluster, { shop, stock }: Shelf): Promise<string[]> {
  const read = () => query<{ id: string; sum: number; held: number }>(stockText, [shop.id])
  const unitsOf = (rows: { held: number }[]) => rows.reduce((total, { held }) => total + held, 0)
  const isBack = await until(async () => unitsOf(await read()) === 0, RETURNED_MS, 1_000)
  const rows = await read()
  return [
    ...(isBack ? [] : [`stock comes back: ${unitsOf(rows)} units of orders that were never written did not`]),
    ...rows
      .filter(({ id, sum }) => stock.has(id) && sum !== stock.get(id))
      .map(({ id, sum }) => `stock adds up: ${id} had ${stock.get(id)} units and has ${sum}`),
  ]
}

// A command that was answered with success is one entry `done`. A refused one is an entry `refused` for each time that it was refused,
// of which a caller sees the last only where a gateway is killed before its answer arrives. The entry of a refusal is lost with a
// gateway that is killed right afterwards (docs/spec/audit.md).
async function entryBreaches(
  cluster: Cluster,
  shopId: string,
  told: Done,
  before: Map<string, string>,
  gatewayKills: number[],
): Promise<string[]> {
  const marks = new Set(told.map(({ mark }) => mark))
  const isLost = ({ answer, at }: Done[number]) =>
    answer.status >= 400 && gatewayKills.some((killedAt) => Math.abs(killedAt - at) <= SENT_MS)
  const kept = told.filter((one) => !isLost(one)).map(({ mark }) => mark)
  // The gateway sends what it has noted off the path of the answer.
  const areNoted = async () => {
    const entries = await entriesOf(cluster, shopId)
    return kept.every((mark) => entries.has(mark))
  }
  await until(areNoted, NOTED_MS, 200)
  const entries = await entriesOf(cluster, shopId)
  const unknown = [...entries.keys()].filter((id) => !marks.has(id) && !before.has(id)).length
  const outcomesOf = (mark: string) => entries.get(mark)?.split(', ') ?? []
  const wrong = told.filter((one) => {
    const outcomes = outcomesOf(one.mark)
    if (one.answer.status < 300) return outcomes.join() !== 'done'
    if (outcomes.length === 0) return !isLost(one)
    return outcomes.length > one.sent || outcomes.some((outcome) => outcome !== 'refused')
  })
  const refused = told.filter(({ answer }) => answer.status >= 400)
  const [lost, twice] = [0, 2].map((count) => refused.filter(({ mark }) => outcomesOf(mark).length === count).length)
  print(
    `refusals: ${refused.length}, of which ${lost} were lost with their gateway and ${twice} were noted twice, since they were sent again`,
  )
  return [
    ...(unknown > 0 ? [`${unknown} entries belong to no command`] : []),
    ...wrong.map(({ mark, path, sent, answer: { status } }) => {
      return `POST ${path}, sent ${sent} times, was answered with ${status} and has the entries: ${entries.get(mark) ?? 'none'}`
    }),
  ]
}

// The rows of the services against the entries, whatever the callers were told.
async function changeBreaches({ query }: Cluster, shopId: string): Promise<string[]> {
  const countsOf = (text: string) => query<{ name: string; n: number }>(text, [shopId])
  const without = await countsOf(
    `select m.action as name, count(*)::int as n from (${madeText}) m where not exists (
       select from auth.audit_entries a where a.object_id = m.id and a.action = m.action and a.outcome = 'done') group by 1`,
  )
  const unmade = await countsOf(
    `select a.action as name, count(*)::int as n from auth.audit_entries a where a.outcome = 'done'
       and (shop_id = $1 or a.action = 'operators.create') and a.action in (select distinct action from (${madeText}) m)
       and not exists (select from (${madeText}) m where m.id = a.object_id) group by 1`,
  )
  const unmoved = await countsOf(
    `select m.id::text as name, m.n from (${movedText}) m where m.n > (
       select count(*) from auth.audit_entries a where a.object_id = m.id and a.outcome = 'done')`,
  )
  return [
    ...without.map(({ name, n }) => `${n} changes of ${name} have no entry`),
    ...unmade.map(({ name, n }) => `${n} entries of ${name} have no change`),
    ...unmoved.map(({ name }) => `${name} was moved more often than its entries say`),
  ]
}

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

// What callers make, with the entry of its making; in this shop nothing else makes these objects.
const madeText = `
  select id, 'orders.place' as action from orders.orders where shop_id = $1
  union all select id, 'products.create' from catalog.products where shop_id = $1
  union all select id, 'contacts.save' from contacts.contacts where shop_id = $1
  union all select id, 'subscriptions.create' from subscriptions.subscriptions where shop_id = $1
  union all select id, 'endpoints.create' from webhooks.endpoints where shop_id = $1
  union all select id, 'operators.create' from auth.operators`
// A move that changes something leaves a row of the history; one that changes nothing is an entry without changes.
const movedText = `
  select order_id as id, count(*)::int as n from orders.order_history where shop_id = $1 group by 1
  union all select subscription_id, count(*)::int from subscriptions.subscription_history
    where shop_id = $1 and who = 'admin token' group by 1`
