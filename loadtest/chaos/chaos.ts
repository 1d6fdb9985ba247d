// `npm run chaos`: the fault table of the distributed form on one machine, under load, each fault with its figures.
// npm run chaos [-- --only <text>[,<text>]] [--replicas 2] [--nats-seconds 30] [--nats-restarts 20] [--hang-seconds 20]
//   [--partition-seconds 60]
// Starts its own PostgreSQL, NATS and replicas on the loopback. Ends with 1 when an invariant was broken. As root it also
// fills a disk, a small one that it mounts for that.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { storedBreaches, writeBreaches } from '../judge.ts'
import { conclude, print, wholeNumber } from '../program.ts'
import { type Figures, judgeFault } from './bounds.ts'
import { processFaults } from './faults.ts'
import { startFaultCluster } from './outages.ts'
import { startTraffic, type Traffic } from './traffic.ts'

const QUIET_MS = 2_000
const QUIET_WAIT_MS = 30_000
// Many, since orders of one product wait for each other; the faults are to be seen, not that queue.
const PRODUCTS = 20

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    replicas: { type: 'string', default: '2' },
    'nats-seconds': { type: 'string', default: '30' },
    'nats-restarts': { type: 'string', default: '20' },
    'hang-seconds': { type: 'string', default: '20' },
    'partition-seconds': { type: 'string', default: '60' },
  },
})
const plan = {
  natsSeconds: wholeNumber('nats-seconds', values['nats-seconds']),
  natsRestarts: wholeNumber('nats-restarts', values['nats-restarts']),
  partitionSeconds: wholeNumber('partition-seconds', values['partition-seconds']),
}
const breaches: string[] = []
// One key makes all calls: its budget must not be what is measured.
const settings = { REQUESTS_PER_MINUTE: '1000000' }
const { cluster, disk, faults, stop } = await startFaultCluster(
  wholeNumber('replicas', values.replicas),
  settings,
  plan,
)
try {
  const chosen = [...processFaults(wholeNumber('hang-seconds', values['hang-seconds'])), ...faults].filter(({ name }) =>
    values.only.split(',').some((part) => name.includes(part)),
  )
  const shop = await cluster.admin.shop('chaos', 40)
  const product = { title: 'Mug', kind: 'physical', price: { cents: 500 } }
  const products = Array.from({ length: PRODUCTS }, () => cluster.admin.call('POST', `/shops/chaos/products`, product))
  const traffic = startTraffic(
    cluster,
    shop,
    (await Promise.all(products)).map(({ id }) => String(id)),
  )
  await pause(QUIET_MS)
  print(`${'fault'.padEnd(36)}  calls  failed  slowest ms  well after ms`)
  let began = Date.now()
  for (const { name, bounds, happen } of chosen) {
    if (name.startsWith('disk') && typeof disk === 'string') {
      print(`*** ${name}: NOT RUN, ${disk}`)
      continue
    }
    const happened = await happen(cluster)
    const quietSince = await untilQuiet(traffic, happened.backAt)
    const during = traffic.calls.filter(({ at }) => at >= began && at < quietSince)
    began = quietSince
    const figures = judgeFault(name, during, happened, bounds)
    breaches.push(...figures.breaches.map((line) => `${name}: ${line}`))
    print(row(figures))
  }
  await traffic.stop()
  const writes = traffic.calls.flatMap(({ kind, mark, outcome }) =>
    kind === 'contact' || kind === 'order' ? [{ kind, mark, isDone: outcome === 'ok' }] : [],
  )
  breaches.push(...(await storedBreaches(cluster)), ...(await writeBreaches(cluster, shop.id, writes)))
  const done = writes.filter(({ isDone }) => isDone).length
  print(`\n${traffic.calls.length} calls; ${done} writes were answered, and each exists once, or it is said here:`)
} finally {
  await stop()
}
conclude(breaches, 'nothing is lost, doubled or owed')

// Well is when no call that began in the last two seconds failed, and every replica is ready; returns since when. A call
// counts where it began: one that waits for its time limit ends long after its fault, and is waited for here.
async function untilQuiet({ calls, answeredUntil }: Traffic, backAt: number): Promise<number> {
  const end = Date.now() + QUIET_WAIT_MS
  await Promise.all(cluster.processes.map((process) => process.ready()))
  for (;;) {
    await pause(200)
    const since = Math.max(backAt, Date.now() - QUIET_MS)
    const hasFailed = calls.some((one) => one.at > since && one.outcome !== 'ok')
    const isQuiet = Date.now() - backAt > QUIET_MS && answeredUntil() >= since && !hasFailed
    if (isQuiet || Date.now() > end) return since
  }
}

function row({ fault, calls, failed, byKind, slowestMs, healthyMs, breaches: own }: Figures): string {
  const figures: [number, number][] = [
    [calls, 5],
    [failed, 6],
    [slowestMs, 10],
    [healthyMs, 13],
  ]
  const cells = figures.map(([figure, width]) => String(figure).padStart(width))
  return `${fault.padEnd(36)}  ${cells.join('  ')}  ${byKind}${own.length > 0 ? '  ***' : ''}`
}
