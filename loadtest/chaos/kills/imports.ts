// Kills processes in the middle of imports: the same file sent again must end where an undisturbed import ended.
// node loadtest/chaos/kills/imports.ts [--mb 1] [--kills 3] [--format retail]
// Of every format one shop takes the file undisturbed. In another the importing process is killed with SIGKILL on the way
// and the file sent again, as often as asked; in a third the service that owns the objects is killed instead, which the
// import survives: it must count what the undisturbed one counted. The importing process stays below its bound of memory.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startCluster } from '../../cluster.ts'
import { storedBreaches } from '../../judge.ts'
import { peakMb } from '../../process-usage.ts'
import { conclude, print, until, wholeNumber } from '../../program.ts'
import { runtimeEnvironment } from '../../../deploy/dev/runtime-environment.ts'
import { accountOf, contentsOf, differences, keysIn, sendFile } from './imported.ts'
import { currencyOf, writeLargeFile } from './large-files.ts'

const IMPORTER = 'admin-gateway'
const IMPORTER_MB_MAX = 200
const REACHED_MS = 3_600_000
const owners = {
  ...{ 'shopify-products': 'catalog', 'woocommerce-products': 'catalog', 'spree-products': 'catalog' },
  ...{ 'shopify-customers': 'contacts', 'spree-customers': 'contacts', 'shopify-orders': 'orders', retail: 'orders' },
}
const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '1' },
    kills: { type: 'string', default: '3' },
    format: { type: 'string' },
  },
})
const kills = wholeNumber('kills', values.kills)
const formats = Object.entries(owners).filter(([format]) => values.format === undefined || values.format === format)
if (formats.length === 0) throw new Error(`--format must be one of ${Object.keys(owners).join(', ')}.`)

const breaches: string[] = []
const cluster = await startCluster({ counts: { 'rest-gateway': 0, 'mcp-gateway': 0 }, env: runtimeEnvironment('') })
try {
  for (const [format, owner] of formats) await tryFormat(format, owner)
  breaches.push(...(await storedBreaches(cluster)))
} finally {
  await cluster.stop()
}
conclude(breaches, 'every import ended where the undisturbed one did')

async function tryFormat(format: string, owner: string): Promise<void> {
  const path = join(cluster.folder, `${format}.csv`)
  const { records, bytes } = await writeLargeFile(path, format, Number(values.mb) * 1_048_576)
  if (records === 0) throw new Error(`--mb ${values.mb} is less than the sample of ${format} has.`)
  print(`\n${format}: ${records} records, ${(bytes / 1_048_576).toFixed(1)} MB`)
  const [importer, service] = [...cluster.of(IMPORTER), ...cluster.of(owner)]
  const send = async (shop: string) => accountOf(await sendFile(cluster, IMPORTER, shop, path))

  const undisturbed = await makeShop(`${format}-undisturbed`)
  const began = performance.now()
  const wanted = await send(undisturbed)
  const perSecond = Math.round(records / ((performance.now() - began) / 1_000))
  const memory = peakMb(importer?.pid() ?? 0)
  const contents = await contentsOf(cluster, undisturbed)
  const keys = await keysIn(cluster, undisturbed)
  print(`  undisturbed              ${wanted}; ${perSecond} records a second, importer ${memory} MB at most`)
  if (!/^completed.* failed 0$/.test(wanted)) breaches.push(`${format}: an import ended ${wanted}`)
  if (memory > IMPORTER_MB_MAX) breaches.push(`${format}: the importer had ${memory} MB, at most ${IMPORTER_MB_MAX}`)

  const cut = await makeShop(`${format}-cut`)
  for (let kill = 1; kill <= kills; kill += 1) {
    const broken = send(cut).catch(() => 'no answer')
    await untilKeys(cut, (keys * kill) / (kills + 1))
    await importer?.restart('SIGKILL')
    print(`  importer killed          ${await broken}; ${await keysIn(cluster, cut)} of ${keys} keys were written`)
  }
  print(`  sent again               ${await send(cut)}`)
  await compare('killed importer', cut)

  const survived = await makeShop(`${format}-survived`)
  const running = send(survived)
  for (let kill = 1; kill <= kills; kill += 1) {
    await untilKeys(survived, (keys * kill) / (kills + 1))
    await service?.restart('SIGKILL')
  }
  const counted = await running
  print(`  ${owner} killed ${kills} times`.padEnd(27) + counted)
  if (counted !== wanted) breaches.push(`${format}: with ${owner} killed the import counted otherwise`)
  await compare(`killed ${owner}`, survived)

  async function makeShop(handle: string): Promise<string> {
    const facts = { handle, name: handle, currency: currencyOf(format), timeZone: 'Europe/London', country: 'GB' }
    return String((await cluster.admin.call('POST', '/shops', facts)).id)
  }

  async function compare(what: string, shop: string): Promise<void> {
    const found = differences(await contentsOf(cluster, shop), contents)
    print(`  ${found.length === 0 ? 'the same' : 'NOT THE SAME'}`)
    breaches.push(...found.map((difference) => `${format}, ${what}: ${difference}`))
  }
}

async function untilKeys(shop: string, keys: number): Promise<void> {
  await until(async () => (await keysIn(cluster, shop)) >= keys, REACHED_MS, 20)
}
