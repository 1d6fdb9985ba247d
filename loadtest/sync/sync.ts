// `npm run sync`: pollers that go on from the largest stamp they have seen, beside writers and imports whose services are killed. No
// change may be missed. docs/spec/sync.md#sync-proof
// npm run sync [-- --seconds 60] [--changes 5000] [--writers 8] [--form one-process,distributed] [--list orders] [--calm]
// The run of a list ends after so many seconds and changes. `--calm` kills nothing and imports nothing, to compare rates. In the
// distributed form each service has two replicas, whose clocks are five seconds apart.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type Cluster, imageOptions, startCluster } from '../cluster.ts'
import { missedChanges } from '../judge/told.ts'
import { conclude, isNamed, pick, print, quantile, readOptions } from '../program.ts'
import { startPoller } from './poller.ts'
import { type List, lists, startWriters } from './writers.ts'

const options = readOptions({
  ...{ seconds: 60, changes: 5000, writers: 8, calm: false },
  ...{ form: 'one-process,distributed', list: 'orders,contacts,products' },
})
const runMs = options.seconds * 1_000
const KILL_EACH_MS = 5_000
const RUN_MS_MAX = 900_000
const AHEAD_MS = 5_000
const breaches: string[] = []

print('| Form | List | Filter | Changes | Imported | Kills | Writes/s | Poll p50 ms | Missed |')
print('|---|---|---|---|---|---|---|---|---|')
for (const form of ['one-process', 'distributed'] as const) {
  if (!isNamed(options.form, form)) continue
  const cluster = await start(form)
  try {
    for (const list of lists.filter(({ name }) => isNamed(options.list, name))) await prove(cluster, form, list)
  } finally {
    await cluster.stop()
  }
}
conclude(breaches, 'no poller missed a change')

function start(form: 'one-process' | 'distributed'): Promise<Cluster> {
  const env = { REQUESTS_PER_MINUTE: '1000000' }
  if (form === 'one-process') return startCluster({ form, env })
  const clock = pathToFileURL(join(import.meta.dirname, '../chaos/clock.ts')).href
  const ahead = { NODE_OPTIONS: `${imageOptions} --import=${clock}?ahead_ms=${AHEAD_MS}` }
  return startCluster({
    env,
    counts: { 'rest-gateway': 2, orders: 2, contacts: 2, catalog: 2, 'mcp-gateway': 0 },
    own: async () => ({ 'rest-gateway 1': ahead, 'orders 1': ahead, 'contacts 1': ahead, 'catalog 1': ahead }),
  })
}

async function prove(cluster: Cluster, form: string, list: List): Promise<void> {
  const { client } = cluster
  const { name, service } = list
  const shop = await client.shop(`sync-${name}`, 0, 0)
  const pollers = (['created', 'updated'] as const).map((stamp) => startPoller(client, shop.readKey, name, stamp))
  const began = Date.now()
  const writers = startWriters(client, shop, list, options.writers, !options.calm)
  const created = () => writers.changes.filter(({ isNew }) => isNew).length
  let kills = 0
  for (let elapsed = 0; elapsed < runMs || created() < options.changes; elapsed = Date.now() - began) {
    if (elapsed > RUN_MS_MAX) throw new Error(`${options.changes} changes took more than ${RUN_MS_MAX / 1_000} s.`)
    await pause(Math.min(KILL_EACH_MS * (0.5 + Math.random()), Math.max(runMs - elapsed, 1_000)))
    if (options.calm || Date.now() - began > runMs) continue
    await pick(cluster.of(service)).restart('SIGKILL')
    kills += 1
  }
  await writers.stop()
  const rate = Math.round((writers.changes.length * 1_000) / (Date.now() - began))
  await Promise.all(pollers.map((poller) => poller.finish()))
  const since = new Date(began - AHEAD_MS * 2)
  for (const { stamp, seen, walkMs } of pollers) {
    const rows = { table: `${service}.${name}`, shopId: shop.id, stamp, since }
    const { changes, missed } = await missedChanges(cluster, rows, writers.changes, seen)
    const imported = stamp === 'created' && name === 'orders' ? 0 : writers.imported()
    const cells = [
      form,
      name,
      `${stamp}_after`,
      changes,
      imported,
      kills,
      rate,
      quantile(walkMs, 0.5).toFixed(1),
      missed,
    ]
    print(`| ${cells.join(' | ')} |`)
    if (missed > 0) breaches.push(`${form}, ${name}, ${stamp}_after: ${missed} of ${changes} changes were missed`)
  }
}
