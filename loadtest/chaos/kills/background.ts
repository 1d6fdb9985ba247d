// Kills the processes behind a background import, one kind after the other, while the file arrives, waits, is checked and is written: the
// moment is seen in the database, and a round whose import had ended by itself is repeated. Each import must end with the counts and the
// objects of an undisturbed one. docs/spec/imports.md
// node loadtest/chaos/kills/background.ts [--rounds 20] [--orders 6000]
import { readdirSync } from 'node:fs'
import { startCluster } from '../../cluster.ts'
import { storedBreaches } from '../../judge/stored.ts'
import { conclude, print, readOptions, seconds, until } from '../../program.ts'
import { type File, filesOfKills } from './files.ts'
import { accountOf, type Contents, contentsOf, differences, keysIn } from './imported.ts'
import { momentOf, waitForMoment } from './moments.ts'
import { killProcesses, killService } from './victims.ts'

const ENDED_MS = 300_000
const TRIES = 5
const ended = ['completed', 'failed', 'cancelled']
const victims = ['the worker', 'all gateways', 'auth', 'orders', 'contacts', 'catalog', 'database']

// Those of a file that did not arrive whole stay until the cleanup of auth.
const leftText = `
  select count(*)::int as n from auth.import_chunks
  where file_id not in (select id from auth.import_files where not is_queued and touched_at > 'epoch')`

type Undisturbed = File & { account: string; contents: Contents; keys: number }

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
  for (const [index, file] of filesOfKills(options.orders).entries()) {
    const shop = await cluster.client.makeShop(`undisturbed-${index}`, { currency: file.currency })
    const began = performance.now()
    const id = await send(shop, file)
    const account = id === null ? 'not accepted' : await endOf(shop, id)
    const took = seconds(performance.now() - began)
    const keys = await keysIn(cluster, shop)
    undisturbed.push({ ...file, account, contents: await contentsOf(cluster, shop), keys })
    print(`${file.name}, undisturbed: ${account}, ${keys} keys, ${took}`)
  }
  for (let round = 1; round <= options.rounds; round += 1) {
    const wanted = undisturbed[round % undisturbed.length]
    const victim = victims[round % victims.length]
    if (wanted === undefined || victim === undefined) throw new Error('There is nothing to import.')
    let told: string | null = null
    for (let attempt = 1; told === null && attempt <= TRIES; attempt += 1) {
      told = await disturb(round, attempt, wanted, victim)
    }
    if (told === null) breaches.push(`round ${round}: no import was killed before its end`)
    print(`round ${round}: ${wanted.name}: ${told ?? 'not killed'}`)
  }
  breaches.push(...(await storedBreaches(cluster)))
}

/** Returns what was killed, when, and how the import ended; null where it had ended before. */
async function disturb(round: number, attempt: number, wanted: Undisturbed, victim: string): Promise<string | null> {
  const shop = await cluster.client.makeShop(`import-${round}-${attempt}`, { currency: wanted.currency })
  const sending = send(shop, wanted)
  const moment = momentOf(round)
  const seen = await waitForMoment(cluster, shop, moment, wanted.keys)
  const killedAt = Date.now()
  const ready = await (victim === 'the worker' ? killProcesses(workers()) : killService(cluster, victim))
  await ready()
  const first = await sending
  // Not accepted: the caller sends the file again, as every caller of an HTTP API would.
  const id = first ?? (await send(shop, wanted))
  if (id === null) throw new Error('A file was refused twice.')
  const account = await endOf(shop, id)
  if (first !== null && account !== wanted.account)
    breaches.push(`round ${round}: ${account} instead of ${wanted.account}`)
  const contents = await contentsOf(cluster, shop)
  breaches.push(...differences(contents, wanted.contents).map((difference) => `round ${round}: ${difference}`))
  const left = await cluster.query<{ n: number }>(leftText)
  if (left[0]?.n !== 0) breaches.push(`round ${round}: ${left[0]?.n} pieces of files were left`)
  if (seen.phase === 'ended' || (await endedBefore(shop, killedAt))) return null
  const at = seen.phase === 'writing' ? `writing, ${seen.keys} of ${wanted.keys} keys` : seen.phase
  return `${victim} killed while ${at}${first === null ? ', the file was sent again' : ''}; ${account}`
}

/** The gateways that have the file of an import on their disk; all of them where none has it yet. */
function workers() {
  const names = readdirSync(cluster.folder)
  const gateways = cluster.of('admin-gateway')
  const atWork = gateways.filter((one) => names.some((name) => name.startsWith(`storefront-import-${one.pid()}-`)))
  return atWork.length > 0 ? atWork : gateways
}

async function endedBefore(shop: string, killedAt: number): Promise<boolean> {
  const text = 'select from auth.imports where shop_id = $1 and finished_at <= $2'
  return (await cluster.query(text, [shop, new Date(killedAt)])).length > 0
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
