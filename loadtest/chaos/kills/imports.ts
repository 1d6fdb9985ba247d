// Kills processes in the middle of imports: the same file sent again must end where an undisturbed import ended.
// node loadtest/chaos/kills/imports.ts [--mb 1] [--kills 3] [--format retail]
// Of every format one shop takes the file undisturbed. In another the importing process is killed with SIGKILL on the way
// and the file sent again, as often as asked; in a third the service that owns the objects is killed instead, which the
// import survives: it must count what the undisturbed one counted. The importing process stays below its bound of memory.
import { join } from 'node:path'
import { startCluster } from '../../cluster.ts'
import { storedBreaches } from '../../judge/stored.ts'
import { conclude, isNamed, print, readOptions, until } from '../../program.ts'
import { peakMb } from '../../usage.ts'
import { runtimeEnvironment } from '../../../deploy/dev/runtime-environment.ts'
import { accountOf, contentsOf, differences, keysIn, sendFile } from './imported.ts'
import { type Format, formats, writeLargeFile } from './large-files.ts'

const IMPORTER_MB_MAX = 200
const REACHED_MS = 3_600_000
const { mb, kills, format: wanted } = readOptions({ mb: 1, kills: 3, format: '' })
const breaches: string[] = []
const cluster = await startCluster({ counts: { 'rest-gateway': 0, 'mcp-gateway': 0 }, env: runtimeEnvironment('') })
try {
  for (const format of formats.filter(({ name }) => isNamed(wanted, name))) await tryFormat(format)
  breaches.push(...(await storedBreaches(cluster)))
} finally {
  await cluster.stop()
}
conclude(breaches, 'every import ended where the undisturbed one did')

async function tryFormat(format: Format): Promise<void> {
  const { name, owner, currency } = format
  const path = join(cluster.folder, `${name}.csv`)
  const { records, bytes } = await writeLargeFile(path, format, mb * 1_048_576)
  if (records === 0) throw new Error(`--mb ${mb} is less than the sample of ${name} has.`)
  print(`\n${name}: ${records} records, ${(bytes / 1_048_576).toFixed(1)} MB`)
  const [importer, service] = [...cluster.of('admin-gateway'), ...cluster.of(owner)]
  const send = async (shop: string) => accountOf(await sendFile(cluster, shop, path))
  const makeShop = (what: string) => cluster.client.makeShop(`${name}-${what}`, { currency })

  const undisturbed = await makeShop('undisturbed')
  const began = performance.now()
  const account = await send(undisturbed)
  const perSecond = Math.round(records / ((performance.now() - began) / 1_000))
  const memory = peakMb(importer?.pid() ?? 0)
  const contents = await contentsOf(cluster, undisturbed)
  const keys = await keysIn(cluster, undisturbed)
  print(`  undisturbed              ${account}; ${perSecond} records a second, importer ${memory} MB at most`)
  if (!/^completed.* failed 0$/.test(account)) breaches.push(`${name}: an import ended ${account}`)
  if (memory > IMPORTER_MB_MAX) breaches.push(`${name}: the importer had ${memory} MB, at most ${IMPORTER_MB_MAX}`)

  const cut = await makeShop('cut')
  for (let kill = 1; kill <= kills; kill += 1) {
    const broken = send(cut).catch(() => 'no answer')
    await untilWritten(cut, kill)
    await importer?.restart('SIGKILL')
    print(`  importer killed          ${await broken}; ${await keysIn(cluster, cut)} of ${keys} keys were written`)
  }
  print(`  sent again               ${await send(cut)}`)
  await compare('killed importer', cut)

  const survived = await makeShop('survived')
  const running = send(survived)
  for (let kill = 1; kill <= kills; kill += 1) {
    await untilWritten(survived, kill)
    await service?.restart('SIGKILL')
  }
  const counted = await running
  print(`  ${owner} killed ${kills} times`.padEnd(27) + counted)
  if (counted !== account) breaches.push(`${name}: with ${owner} killed the import counted otherwise`)
  await compare(`killed ${owner}`, survived)

  // Until the part of the file is written at which this kill is to come.
  function untilWritten(shop: string, kill: number): Promise<boolean> {
    return until(async () => (await keysIn(cluster, shop)) >= (keys * kill) / (kills + 1), REACHED_MS, 20)
  }

  async function compare(what: string, shop: string): Promise<void> {
    const found = differences(await contentsOf(cluster, shop), contents)
    print(`  ${found.length === 0 ? 'the same' : 'NOT THE SAME'}`)
    breaches.push(...found.map((difference) => `${name}, ${what}: ${difference}`))
  }
}
