// Kills the processes behind a background import, one kind after the other, at a random moment of it: while it arrives, is checked and is
// written, and at its end. Each import must end with the counts and the objects of an undisturbed one. docs/spec/imports.md
// node loadtest/chaos/kills/background.ts [--rounds 20] [--orders 6000]
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCluster } from '../../cluster.ts'
import { storedBreaches } from '../../judge/stored.ts'
import { root } from '../../process.ts'
import { conclude, print, readOptions, seconds, until } from '../../program.ts'
import { accountOf, type Contents, contentsOf, differences } from './imported.ts'

const ENDED_MS = 300_000
const ended = ['completed', 'failed', 'cancelled']
const victims = ['the worker', 'all gateways', 'auth', 'orders', 'contacts', 'catalog', 'database']

type File = { name: string; currency: string; text: string }
type Undisturbed = File & { account: string; contents: Contents; tookMs: number }

const options = readOptions({ rounds: 20, orders: 6_000 })
const breaches: string[] = []
const cluster = await startCluster({ counts: { 'rest-gateway': 0, 'mcp-gateway': 0, 'admin-gateway': 2 } })
try {
  await run()
} finally {
  const codes = await cluster.stop()
  if (codes.some((code) => code !== 0)) breaches.push(`processes ended with ${codes.join(', ')}`)
}
conclude(breaches, 'every import ended as an undisturbed one')

async function run(): Promise<void> {
  const undisturbed: Undisturbed[] = []
  for (const [index, file] of files().entries()) {
    const shop = await cluster.client.makeShop(`undisturbed-${index}`, { currency: file.currency })
    const began = performance.now()
    const id = await send(shop, file)
    const account = id === null ? 'not accepted' : await endOf(shop, id)
    undisturbed.push({ ...file, account, contents: await contentsOf(cluster, shop), tookMs: performance.now() - began })
    print(`${file.name}, undisturbed: ${account}, ${seconds(performance.now() - began)}`)
  }
  for (let round = 1; round <= options.rounds; round += 1) {
    const wanted = undisturbed[round % undisturbed.length]
    const victim = victims[round % victims.length]
    if (wanted === undefined || victim === undefined) throw new Error('There is nothing to import.')
    print(`round ${round}: ${wanted.name}: ${await disturb(round, wanted, victim)}`)
  }
  breaches.push(...(await storedBreaches(cluster)))
}

/** Returns what was killed, when, and how the import ended. */
async function disturb(round: number, wanted: Undisturbed, victim: string): Promise<string> {
  const shop = await cluster.client.makeShop(`import-${round}`, { currency: wanted.currency })
  const sending = send(shop, wanted)
  await sleep(Math.random() * wanted.tookMs)
  const at = await momentOf(shop)
  await kill(victim)
  const first = await sending
  // Not accepted: the caller sends the file again, as every caller of an HTTP API would.
  const id = first ?? (await send(shop, wanted))
  if (id === null) throw new Error('A file was refused twice.')
  const account = await endOf(shop, id)
  if (first !== null && account !== wanted.account)
    breaches.push(`round ${round}: ${account} instead of ${wanted.account}`)
  const contents = await contentsOf(cluster, shop)
  breaches.push(...differences(contents, wanted.contents).map((difference) => `round ${round}: ${difference}`))
  const left = await cluster.query<{ n: number }>('select count(*)::int as n from auth.import_chunks', [])
  if (left[0]?.n !== 0) breaches.push(`round ${round}: ${left[0]?.n} pieces of files were left`)
  return `${victim} killed at "${at}"${first === null ? ', the file was sent again' : ''}; ${account}`
}

async function kill(victim: string): Promise<void> {
  if (victim === 'database') return cluster.killDatabase()
  const gateways = cluster.of('admin-gateway')
  const worker = gateways[randomInt(gateways.length)]
  const killed = victim === 'the worker' && worker !== undefined ? [worker] : gateways
  const processes = victim === 'the worker' || victim === 'all gateways' ? killed : cluster.of(victim)
  await Promise.all(
    processes.map(async (one) => {
      const pid = one.pid()
      await one.killGroup()
      await one.ready(pid)
    }),
  )
}

/** The id of the import; null where it was not accepted. */
async function send(shop: string, { text }: File): Promise<string | null> {
  const path = `/shops/${shop}/imports?background=true&create_contacts=true`
  const command = { method: 'POST', path, headers: { 'content-type': 'text/csv' }, body: text, timeoutMs: 60_000 }
  if (!(await until(() => gatewayIsReady(), ENDED_MS))) throw new Error('No gateway became ready.')
  const answer = await cluster.client.send(command).catch(() => null)
  if (answer === null || answer.status >= 500) return null
  if (answer.status !== 202) throw new Error(`An import was answered with ${answer.status}: ${answer.text}`)
  return String(answer.data.id)
}

async function gatewayIsReady(): Promise<boolean> {
  const ready = await Promise.all(cluster.of('admin-gateway').map((one) => one.isReady()))
  return ready.some(Boolean)
}

async function endOf(shop: string, id: string): Promise<string> {
  let account = ''
  const hasEnded = async () => {
    const answer = await cluster.client.send({ method: 'GET', path: `/shops/${shop}/imports/${id}` }).catch(() => null)
    if (answer?.status !== 200) return false
    account = accountOf(answer.data)
    return ended.includes(String(answer.data.status))
  }
  if (!(await until(hasEnded, ENDED_MS, 100))) breaches.push(`an import has not ended: ${account}`)
  return account
}

async function momentOf(shop: string): Promise<string> {
  const text = 'select status, processed from auth.imports where shop_id = $1 order by created_at desc limit 1'
  const [row] = await cluster.query<{ status: string; processed: number }>(text, [shop])
  return row === undefined ? 'arriving' : `${row.status}, ${row.processed} objects`
}

function files(): File[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const header = 'Name,Email,Currency,Total,Lineitem quantity,Lineitem name,Lineitem price,Created at,Financial Status'
  const lines = Array.from({ length: options.orders }, (_, index) => {
    const buyer = `buyer-${index % Math.ceil(options.orders / 2)}@example.com`
    return `#${index},${buyer},GBP,5.00,1,Mug,5.00,2026-01-02 10:00:00 +0000,${index % 50 === 0 ? 'unknown' : 'paid'}`
  })
  return [
    { name: 'retail', currency: 'GBP', text: read('deploy/demo/online-retail/2010-12-01.csv') },
    { name: 'Shopify orders', currency: 'GBP', text: read('testing/data/shopify-orders-full.derived.csv') },
    { name: 'Spree products', currency: 'USD', text: read('testing/data/spree-products.csv') },
    { name: 'many orders', currency: 'GBP', text: [header, ...lines].join('\n') },
  ]
}
