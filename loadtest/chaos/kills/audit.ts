// Kills every service that changes something, again and again under commands and imports: nothing that was answered is lost, nothing is
// half written or done twice, no change is without its audit entry, and no entry without its change. docs/spec/audit.md
// node loadtest/chaos/kills/audit.ts [--only auth,catalog,contacts,orders,subscriptions,webhooks] [--rounds 20] [--callers 8]
// In each round a file is imported, which survives the deaths of the services; in even rounds the gateway that imports is killed too.
// node loadtest/chaos/kills/audit.ts --only product kills the one-process form, in odd rounds its process group, in even ones its database
// too. A file whose import was cut is sent again; all must end where an undisturbed import ended. docs/spec/imports.md
import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startCluster } from '../../cluster.ts'
import { storedBreaches } from '../../judge/stored.ts'
import { entriesOf, repeatBreaches, toldBreaches } from '../../judge/told.ts'
import { officeCommand, stockShelf } from '../../operations.ts'
import { root } from '../../process.ts'
import { conclude, print, readOptions, seconds, until } from '../../program.ts'
import { startCallers } from '../../traffic.ts'
import { type Contents, contentsOf, differences, keysIn, sendFile } from './imported.ts'

const owners = ['auth', 'catalog', 'contacts', 'orders', 'subscriptions', 'webhooks']
const REACHED_MS = 60_000
const files = [
  { path: 'deploy/demo/online-retail/2010-12-01.csv', currency: 'GBP' },
  { path: 'testing/data/shopify-orders-full.derived.csv', currency: 'GBP' },
  { path: 'testing/data/spree-products.csv', currency: 'USD' },
]
type Imported = { path: string; currency: string; account: string; contents: Contents }

const options = readOptions({ only: owners.join(','), rounds: 20, callers: 8 })
const killed = owners.filter((name) => options.only.split(',').includes(name))
const isProduct = killed.length === 0
const breaches: string[] = []
const gatewayKills: number[] = []
const cluster = await startCluster(
  isProduct ? { form: 'one-process' } : { counts: { 'rest-gateway': 0, 'mcp-gateway': 0 } },
)
try {
  await run()
} finally {
  const codes = await cluster.stop()
  if (codes.some((code) => code !== 0)) breaches.push(`processes ended with ${codes.join(', ')}`)
}
conclude(breaches, 'no change without its entry, no entry without its change')

async function run(): Promise<void> {
  const shelf = await stockShelf(cluster.client, 'audit')
  const undisturbed: Imported[] = []
  for (const [index, { path, currency }] of files.entries()) {
    const shop = await cluster.client.makeShop(`undisturbed-${index}`, { currency })
    const account = await sendFile(cluster, shop, join(root, path))
    undisturbed.push({ path, currency, account, contents: await contentsOf(cluster, shop) })
  }
  breaches.push(...(await storedBreaches(cluster))) // Entries of the preparation have arrived.
  const before = await entriesOf(cluster, shelf.shop.id)
  const [orders, memberships] = [[] as string[], [] as string[]]
  const callers = startCallers(
    cluster.client,
    options.callers,
    (mark) => officeCommand(shelf, orders, memberships, mark),
    ({ kind, answer }) => {
      if (answer.status === 201 && kind === 'order') orders.push(String(answer.data.id))
      if (answer.status === 201 && kind === 'membership') memberships.push(String(answer.data.id))
    },
  )
  for (let round = 1; round <= options.rounds; round += 1) {
    const importing = startImport(round, undisturbed)
    const times: string[] = []
    for (const service of killed) {
      await callers.more(10 + randomInt(30))
      await pause(Math.random() * 60)
      times.push(`${service} ${seconds((await cluster.of(service)[0]?.restart('SIGKILL')) ?? 0)}`)
    }
    if (isProduct || round % 2 === 0) times.push(seconds(await killImporter(await importing, round)))
    print(`round ${round}: killed, and ready again after: ${times.join(', ')}; ${callers.told.length} answers`)
    print(`  import: ${await (await importing).finish()}`)
    breaches.push(...(await repeatBreaches(cluster, callers.told)))
  }
  await callers.stop()
  breaches.push(
    ...(await storedBreaches(cluster)),
    ...(await toldBreaches(cluster, shelf, callers.told, { before, gatewayKills })),
  )
  const refused = callers.told.filter(({ answer }) => answer.status >= 400).length
  const repeated = callers.told.filter(({ sent }) => sent > 1).length
  print(`${callers.told.length} commands, ${repeated} times repeated: ${refused} refused, the others done`)
}

/** `share` of the file is in the shop when the importer is to be killed, so that every part of it is cut. */
type Import = { shop: string; share: number; finish(): Promise<string> }

async function startImport(round: number, undisturbed: Imported[]): Promise<Import> {
  const wanted = undisturbed[(round - 1) % undisturbed.length]
  if (wanted === undefined) throw new Error('There is no file to import.')
  const shop = await cluster.client.makeShop(`import-${round}`, { currency: wanted.currency })
  const send = () => sendFile(cluster, shop, join(root, wanted.path))
  const sent = send().catch(() => 'cut')
  return {
    ...{ shop, share: randomInt(Math.round(wanted.contents.documents.length * 0.9)) },
    async finish() {
      const account = await sent
      if (account === 'cut') await send()
      else if (account !== wanted.account) breaches.push(`round ${round}: ${account} instead of ${wanted.account}`)
      breaches.push(...differences(await contentsOf(cluster, shop), wanted.contents))
      const text = 'select status from auth.imports where shop_id = $1'
      const statuses = await cluster.query<{ status: string }>(text, [shop])
      if (!statuses.some(({ status }) => status === 'completed')) breaches.push(`round ${round}: no import completed`)
      return account
    },
  }
}

/** Returns after how many milliseconds another process was ready. */
async function killImporter({ shop, share }: Import, round: number): Promise<number> {
  const [importer] = cluster.of('admin-gateway')
  await until(async () => (await keysIn(cluster, shop)) >= share, REACHED_MS, 20)
  const [began, pid] = [performance.now(), importer?.pid()]
  await importer?.killGroup()
  gatewayKills.push(Date.now())
  if (isProduct && round % 2 === 0) cluster.killDatabase()
  await importer?.ready(pid)
  const left = readdirSync(cluster.folder).filter((name) => name.startsWith('storefront-import-'))
  if (left.length > 0) breaches.push(`${left.length} uploads of a killed process were left`)
  return performance.now() - began
}
