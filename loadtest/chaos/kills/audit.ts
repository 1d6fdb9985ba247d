// Kills every service that changes something, again and again under commands: nothing that was answered is lost, nothing is half written
// or done twice, no change is without its audit entry, and no entry without its change. docs/spec/access.md#audit
// node loadtest/chaos/kills/audit.ts [--only auth,catalog,contacts,orders,subscriptions,webhooks] [--rounds 20] [--callers 8]
// node loadtest/chaos/kills/audit.ts --only product kills the one-process form in the middle of an import and of commands, in odd rounds
// its process group, in even ones its database too.
import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Cluster, startCluster } from '../../cluster.ts'
import { storedBreaches } from '../../judge/stored.ts'
import { entriesOf, repeatBreaches, toldBreaches } from '../../judge/told.ts'
import { officeCommand, stockShelf } from '../../operations.ts'
import { root } from '../../process.ts'
import { conclude, print, readOptions, seconds, until } from '../../program.ts'
import { startCallers } from '../../traffic.ts'
import { accountOf, type Contents, contentsOf, differences, keysIn, sendFile } from './imported.ts'

const owners = ['auth', 'catalog', 'contacts', 'orders', 'subscriptions', 'webhooks']
const KILL_UNTIL_MS = 2_500
const REACHED_MS = 60_000
const file = join(root, 'deploy/demo/online-retail/2010-12-01.csv')

const options = readOptions({ only: owners.join(','), rounds: 20, callers: 8 })
const killed = owners.filter((name) => options.only.split(',').includes(name))
const isProduct = killed.length === 0
const breaches: string[] = []
const cluster = await startCluster(
  isProduct ? { form: 'one-process' } : { counts: { 'rest-gateway': 0, 'mcp-gateway': 0 } },
)
try {
  await run(cluster)
} finally {
  const codes = await cluster.stop()
  if (codes.some((code) => code !== 0)) breaches.push(`processes ended with ${codes.join(', ')}`)
}
conclude(breaches, 'no change without its entry, no entry without its change')

async function run({ client, of }: Cluster): Promise<void> {
  const shelf = await stockShelf(client, 'audit')
  const undisturbed = isProduct ? await importWhole() : null
  breaches.push(...(await storedBreaches(cluster))) // Entries of the preparation have arrived.
  const before = await entriesOf(cluster, shelf.shop.id)
  const [orders, memberships] = [[] as string[], [] as string[]]
  const callers = startCallers(
    client,
    options.callers,
    (mark) => officeCommand(shelf, orders, memberships, mark),
    ({ kind, answer }) => {
      if (answer.status === 201 && kind === 'order') orders.push(String(answer.data.id))
      if (answer.status === 201 && kind === 'membership') memberships.push(String(answer.data.id))
    },
  )
  for (let round = 1; round <= options.rounds; round += 1) {
    const times: string[] = []
    for (const service of killed) {
      await callers.more(10 + randomInt(30))
      await pause(Math.random() * 60)
      times.push(`${service} ${seconds((await of(service)[0]?.restart('SIGKILL')) ?? 0)}`)
    }
    if (undisturbed !== null) times.push(await killProduct(round, undisturbed))
    print(`round ${round}: killed, and ready again after: ${times.join(', ')}; ${callers.told.length} answers`)
    breaches.push(...(await repeatBreaches(cluster, callers.told)))
  }
  await callers.stop()
  breaches.push(...(await storedBreaches(cluster)), ...(await toldBreaches(cluster, shelf, callers.told, before)))
  const refused = callers.told.filter(({ answer }) => answer.status >= 400).length
  print(`${callers.told.length} commands, ${callers.repeated()} times repeated: ${refused} refused, the others done`)
}

// The import has written a random share of the file when it is killed, so that every part of it is cut.
async function killProduct(round: number, undisturbed: Contents): Promise<string> {
  const [product] = cluster.processes
  const shop = await cluster.client.makeShop(`import-${round}`)
  const cut = sendFile(cluster, shop, file).then(accountOf, () => 'cut')
  const share = randomInt(Math.round(undisturbed.documents.length * 0.9))
  await until(async () => (await keysIn(cluster, shop)) >= share, REACHED_MS, 20)
  await pause(randomInt(KILL_UNTIL_MS))
  const [began, pid] = [performance.now(), product?.pid()]
  await product?.killGroup()
  if (round % 2 === 0) cluster.killDatabase()
  await product?.ready(pid)
  const readyMs = performance.now() - began
  const left = readdirSync(cluster.folder).filter((name) => name.startsWith('storefront-import-'))
  if (left.length > 0) breaches.push(`${left.length} uploads of a killed process were left`)
  const outcome = await cut
  await sendFile(cluster, shop, file)
  breaches.push(...differences(await contentsOf(cluster, shop), undisturbed))
  const statuses = await cluster.query<{ status: string }>('select status from auth.imports where shop_id = $1', [shop])
  if (!statuses.some(({ status }) => status === 'completed')) breaches.push(`round ${round}: no import completed`)
  return `the product${round % 2 === 0 ? ' with its database' : ''} ${seconds(readyMs)} (import: ${outcome})`
}

async function importWhole(): Promise<Contents> {
  const shop = await cluster.client.makeShop('undisturbed')
  await sendFile(cluster, shop, file)
  return contentsOf(cluster, shop)
}
