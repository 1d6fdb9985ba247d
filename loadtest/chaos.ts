// Owns `npm run chaos`: the fault table on the distributed form on one machine, under load, each fault with its figures.
// npm run chaos [-- --only <text>[,<text>]] [--replicas 2] [--nats-seconds 30] [--nats-restarts 20] [--hang-seconds 20]
//   [--partition-seconds 60]
// Starts its own PostgreSQL, NATS and replicas on the loopback. Ends with 1 when something did not hold. As root it also
// fills a disk, a small one that it mounts for that.
import { parseArgs } from 'node:util'
import { openFaultStage } from './fault-ground.ts'
import { type Figures, judgeEnd, judgeFault } from './fault-judge.ts'
import { faults } from './fault-list.ts'
import { startTraffic } from './fault-traffic.ts'
import { wholeNumber } from './order-database.ts'
import type { Shop } from './stage.ts'

const QUIET_MS = 2_000
const PRODUCTS = 20
const QUIET_WAIT_MS = 30_000

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
const chosen = faults({
  natsSeconds: wholeNumber('nats-seconds', values['nats-seconds']),
  natsRestarts: wholeNumber('nats-restarts', values['nats-restarts']),
  hangSeconds: wholeNumber('hang-seconds', values['hang-seconds']),
  partitionSeconds: wholeNumber('partition-seconds', values['partition-seconds']),
}).filter(({ name }) => values.only.split(',').some((part) => name.includes(part)))

// One key makes all calls: its budget must not be what is measured.
// The end of this process takes everything with it, also when somebody loses patience.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))
const stage = await openFaultStage(wholeNumber('replicas', values.replicas), { REQUESTS_PER_MINUTE: '1000000' })
try {
  const shop = await stage.shop('chaos', 40)
  const traffic = startTraffic(stage, shop, await makeProducts(shop))
  await quiet(QUIET_MS)
  print(`${'fault'.padEnd(36)}  calls  failed  slowest ms  well after ms`)
  const wrong: string[] = []
  let began = Date.now()
  for (const { name, bounds, happen } of chosen) {
    if (name.startsWith('disk') && typeof stage.disk === 'string') {
      print(`*** ${name}: NOT RUN, ${stage.disk}`)
      continue
    }
    const happened = await happen(stage)
    const quietSince = await untilQuiet(happened.backAt)
    const made = traffic.made.filter(({ at }) => at >= began && at < quietSince)
    began = quietSince
    const figures = judgeFault(name, made, happened, bounds)
    wrong.push(...figures.wrong.map((line) => `${name}: ${line}`))
    print(row(figures))
  }
  await traffic.stop()
  wrong.push(...(await judgeEnd(stage.databaseUrl, shop, traffic.made)))
  const done = traffic.made.filter(
    ({ kind, outcome }) => (kind === 'contact' || kind === 'order') && outcome === 'ok',
  ).length
  print(`\n${traffic.made.length} calls; ${done} writes were answered, and each is there once, or it is said here:`)
  for (const line of wrong) print(`*** ${line}`)
  print(wrong.length === 0 ? 'nothing is lost, doubled or owed' : `${wrong.length} things did not hold`)
  process.exitCode = wrong.length === 0 ? 0 : 1

  // Many, since who buys one product waits for who buys it too; the faults are to be seen, not that queue.
  async function makeProducts({ handle }: Shop): Promise<string[]> {
    const product = { title: 'Mug', kind: 'physical', price: { cents: 500 } }
    const make = async () => (await stage.admin('POST', `/shops/${handle}/products`, product)).data.id
    return Promise.all(Array.from({ length: PRODUCTS }, async () => String(await make())))
  }

  // Well is when no call that began in the last two seconds failed, and every replica is ready. Gives since when. A call counts
  // where it began: one that waits for its time limit is answered long after its fault, and is waited for here.
  async function untilQuiet(backAt: number): Promise<number> {
    const until = Date.now() + QUIET_WAIT_MS
    await Promise.all(stage.replicas.all.map((replica) => replica.ready()))
    for (;;) {
      await quiet(200)
      const since = Math.max(backAt, Date.now() - QUIET_MS)
      const hasFailed = traffic.made.some((one) => one.at > since && one.outcome !== 'ok')
      const isQuiet = Date.now() - backAt > QUIET_MS && traffic.answeredUntil() >= since && !hasFailed
      if (isQuiet || Date.now() > until) return since
    }
  }
} finally {
  await stage.stop()
}
// Node itself waits for ever where a fault has left a connection half open (in its last cleaning up, which nothing can end).
process.exit()

function row({ fault, calls, failed, byKind, slowestMs, healthyMs, wrong }: Figures): string {
  const numbers = [
    String(calls).padStart(5),
    String(failed).padStart(6),
    String(slowestMs).padStart(10),
    String(healthyMs).padStart(13),
  ]
  return `${fault.padEnd(36)}  ${numbers.join('  ')}  ${byKind}${wrong.length > 0 ? '  ***' : ''}`
}

function quiet(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
